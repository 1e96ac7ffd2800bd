import { spawnSync } from "node:child_process";
import path from "node:path";
import { ensurePythonTools } from "../../../engine/launch/venv.ts";
import { root } from "../../../engine/paths.ts";

/** Runs a file of `engine/engine/checks`, which checks patches of the engine, with the engine's interpreter and modules. */
export async function runPythonChecks(name: string): Promise<{ status: number | null; stderr: string }> {
  const { python, env } = await ensurePythonTools();
  const folder = path.join(root, "engine/engine");
  const modules = [folder, ...(env["PYTHONPATH"] ? [env["PYTHONPATH"]] : [])].join(path.delimiter);
  const variables = { ...process.env, ...env, PYTHONPATH: modules, PYTHONDONTWRITEBYTECODE: "1" };
  return spawnSync(python, [path.join(folder, "checks", name)], { env: variables, encoding: "utf8" });
}
