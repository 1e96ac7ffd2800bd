import { expect, it } from "vitest";
import { runPythonChecks } from "../../test/support/engine/python-checks.ts";

/** The checks load the engine's modules, which takes a second, and start no engine. */
it("log groups, executions, events, metrics, mails and stream records of the engine are bounded", { timeout: 300_000 }, async () => {
  const { status, stderr } = await runPythonChecks("bounded_records.py");
  expect(stderr).toMatch(/^Ran 7 tests/m);
  expect(status, stderr).toBe(0);
});
