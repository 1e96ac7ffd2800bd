import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, it } from "vitest";
import { ensurePythonTools } from "../launch/venv.ts";
import { root } from "../paths.ts";

/** The checks load the engine's modules, which takes a second, and start no engine. */
it("the engine evaluates the policies of roles and the rights that requests need as AWS does", { timeout: 300_000 }, async () => {
  const { python, env } = await ensurePythonTools();
  const check = path.join(root, "engine/engine/patches/function_roles_check.py");
  const { status, stderr } = spawnSync(python, [check], { env: { ...process.env, ...env }, encoding: "utf8" });
  expect(stderr).toMatch(/^Ran 19 tests/m);
  expect(status, stderr).toBe(0);
});
