import { expect, it } from "vitest";
import { runPythonChecks } from "../../test/support/engine/python-checks.ts";

/** The checks start processes of small functions, and no engine. */
it("the engine starts few processes for a burst of calls, and retains a process whose handler has thrown", {
  timeout: 300_000,
}, async () => {
  const { status, stderr } = await runPythonChecks("function_processes_check.py");
  expect(stderr).toMatch(/^Ran 5 tests/m);
  expect(status, stderr).toBe(0);
});
