import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, it } from "vitest";
import { ensurePythonTools } from "../launch/venv.ts";
import { root } from "../paths.ts";

/** The checks start processes of small functions, and no engine. */
it("the engine starts few processes for a burst of calls, and retains a process whose handler has thrown", {
  timeout: 300_000,
}, async () => {
  const { python, env } = await ensurePythonTools();
  const check = path.join(root, "engine/engine/patches/function_processes_check.py");
  const { status, stderr } = spawnSync(python, [check], { env: { ...process.env, ...env }, encoding: "utf8" });
  expect(stderr).toMatch(/^Ran 4 tests/m);
  expect(status, stderr).toBe(0);
});
