import { expect, it } from "vitest";
import { runPythonChecks } from "../../test/support/engine/python-checks.ts";

/** The checks load the engine's modules, which takes a second, and start no engine. */
it("the engine evaluates the policies of roles and the rights that requests need as AWS does", { timeout: 300_000 }, async () => {
  const { status, stderr } = await runPythonChecks("function_roles.py");
  expect(stderr).toMatch(/^Ran 22 tests/m);
  expect(status, stderr).toBe(0);
});
