import { expect, it } from "vitest";
import { runPythonChecks } from "../../test/support/engine/python-checks.ts";

/** The checks start processes of small functions, and no engine. */
it("the engine starts few processes for a burst of calls, retains a process whose handler has thrown, ends that of a function that is rarely called, and lets invocations end when their function is updated", {
  timeout: 300_000,
}, async () => {
  const { status, stderr } = await runPythonChecks("function_processes.py");
  expect(stderr).toMatch(/^Ran 7 tests/m);
  expect(status, stderr).toBe(0);
});
