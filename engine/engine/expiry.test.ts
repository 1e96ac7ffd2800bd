import { expect, it } from "vitest";
import { runPythonChecks } from "../../test/support/engine/python-checks.ts";

it("expired items and objects of the engine are removed as on AWS, with stream records", { timeout: 300_000 }, async () => {
  const { status, stderr } = await runPythonChecks("expiry.py");
  expect(stderr).toMatch(/^Ran 8 tests/m);
  expect(status, stderr).toBe(0);
});
