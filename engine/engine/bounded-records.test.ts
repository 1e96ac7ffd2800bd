import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, it } from "vitest";
import { ensurePythonTools } from "../launch/venv.ts";
import { root } from "../paths.ts";

/** The checks load the engine's modules, which takes a second, and start no engine. */
it("log groups, executions, events, metrics, mails and stream records of the engine are bounded", { timeout: 300_000 }, async () => {
  const { python, env } = await ensurePythonTools();
  const check = path.join(root, "engine/engine/patches/bounded_records_check.py");
  const { status, stderr } = spawnSync(python, [check], { env: { ...process.env, ...env }, encoding: "utf8" });
  expect(stderr).toMatch(/^Ran 6 tests/m);
  expect(status, stderr).toBe(0);
});
