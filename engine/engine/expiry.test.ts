import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, it } from "vitest";
import { ensurePythonTools } from "../launch/venv.ts";
import { root } from "../paths.ts";

it("expired items and objects of the engine are removed as on AWS, with stream records", { timeout: 300_000 }, async () => {
  const { python, env } = await ensurePythonTools();
  const check = path.join(root, "engine/engine/patches/expiry_check.py");
  const { status, stderr } = spawnSync(python, [check], { env: { ...process.env, ...env }, encoding: "utf8" });
  expect(stderr).toMatch(/^Ran 5 tests/m);
  expect(status, stderr).toBe(0);
});
