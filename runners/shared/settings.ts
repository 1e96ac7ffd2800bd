import { existsSync, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The method of removing a job's writes to `/tmp` (`SVC_TMP_MODE`). */
export type TmpMode = "sweep" | "private" | "none";

export interface Settings {
  /** Contains artefacts, job directories and pipes of every supervisor on this machine. */
  workDir: string;
  tmpMode: TmpMode;
  /** No other supervisor uses the work directory: on AWS, and in tests of it (`SVC_SOLE_SUPERVISOR`). */
  sole: boolean;
  /** A job that uses more is stopped. On AWS: the function's memory minus the supervisor's share. Elsewhere `undefined` by default. */
  memoryLimitKb: number | undefined;
  /** A job that starts processes faster than they are killed must not stop the supervisor for longer. Tests set another time. */
  sweepMs: number;
}

/** The share of a function's memory for Node, the pipes and one result in transit. */
const SUPERVISOR_MB = 160;

let current: Settings | undefined;

/** Returns the settings. They are read once, because the environment of a function does not change. */
export function settings(): Settings {
  current ??= readSettings(process.env);
  return current;
}

const FOLDERS = ["artefacts", "jobs", "pipes"];

/** Returns the folders of the work directory. */
export function workFolders(): string[] {
  return FOLDERS.map((folder) => join(settings().workDir, folder));
}

function readSettings(env: NodeJS.ProcessEnv): Settings {
  const workDir = resolve(env["SVC_WORK_DIR"] || "/tmp/svc");
  for (const folder of FOLDERS) mkdirSync(join(workDir, folder), { recursive: true, mode: 0o700 });
  const mode = env["SVC_TMP_MODE"];
  const limitMb = Number(env["SVC_MEMORY_LIMIT_MB"]) || Number(env["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"]) - SUPERVISOR_MB;
  return {
    workDir,
    tmpMode: mode === "sweep" || mode === "private" ? mode : "none",
    sole: mode === "sweep" || env["SVC_SOLE_SUPERVISOR"] === "on",
    memoryLimitKb: limitMb > 0 ? limitMb * 1024 : undefined,
    sweepMs: Number(env["SVC_TEST_SWEEP_MS"]) || 5000,
  };
}

/** Returns the path of an interpreter: from its variable, or in the asset (`bin/<name>` beside the bundle). Node is the current process's own. */
export function interpreterPath(name: string, handlerUrl: string): string {
  const named = process.env[`SVC_${name.toUpperCase()}_PATH`];
  if (named) return named;
  if (name === "node") return process.execPath;
  const root = process.env["LAMBDA_TASK_ROOT"];
  const places = [...(root ? [root] : []), dirname(fileURLToPath(handlerUrl))].map((folder) => join(folder, "bin", name));
  return places.find((path) => existsSync(path)) ?? name;
}

/** Returns the share of the memory limit for a V8 heap in MB; `undefined` without a limit. The rest is for buffers, code and the process. */
export function heapLimitMb(): number | undefined {
  const { memoryLimitKb } = settings();
  return memoryLimitKb && Math.floor((memoryLimitKb / 1024) * 0.85);
}
