import { spawnSync } from "node:child_process";
import path from "node:path";
import { ensurePythonTools } from "../../../engine/launch/venv.ts";
import { root } from "../../../engine/paths.ts";

/** Runs one of the files of checks beside the patches of the engine, with the engine's interpreter and modules. */
export async function runPythonChecks(name: string): Promise<{ status: number | null; stderr: string }> {
  const { python, env } = await ensurePythonTools();
  const checks = path.join(root, "engine/engine/patches", name);
  return spawnSync(python, [checks], { env: { ...process.env, ...env }, encoding: "utf8" });
}
