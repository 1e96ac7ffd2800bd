import { expect, it } from "vitest";
import { runPythonChecks } from "../../test/support/engine/python-checks.ts";

it("a Map state of the engine takes its width from its input as on AWS", { timeout: 300_000 }, async () => {
  const { status, stderr } = await runPythonChecks("map_width.py");
  expect(stderr).toMatch(/^Ran 2 tests/m);
  expect(status, stderr).toBe(0);
});
