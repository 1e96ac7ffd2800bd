import { existsSync, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** How what a job writes to `/tmp` is undone (`SVC_TMP_MODE`). */
export type TmpMode = "sweep" | "private" | "none";

export interface Settings {
  /** Holds artefacts, job directories and pipes of every supervisor of this machine. */
  workDir: string;
  tmpMode: TmpMode;
  /** A job above it is stopped. On AWS the function's memory less what the supervisor needs; elsewhere unknown. */
  memoryLimitKb: number | undefined;
}

/** What Node, the pipes and one result in transit need of a function's memory. */
const SUPERVISOR_MB = 160;

let current: Settings | undefined;

/** Read at the first run and kept: the environment of a function does not change. */
export function settings(): Settings {
  current ??= readSettings(process.env);
  return current;
}

function readSettings(env: NodeJS.ProcessEnv): Settings {
  const workDir = resolve(env["SVC_WORK_DIR"] || "/tmp/svc");
  for (const folder of ["artefacts", "jobs", "pipes"]) mkdirSync(join(workDir, folder), { recursive: true, mode: 0o700 });
  const mode = env["SVC_TMP_MODE"];
  const limitMb = Number(env["SVC_MEMORY_LIMIT_MB"]) || Number(env["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"]) - SUPERVISOR_MB;
  return {
    workDir,
    tmpMode: mode === "sweep" || mode === "private" ? mode : "none",
    memoryLimitKb: limitMb > 0 ? limitMb * 1024 : undefined,
  };
}

/** Where an interpreter is: by its variable, or in the asset (`bin/<name>` beside the bundle). Node is the one that runs this. */
export function interpreterPath(name: "bun" | "deno" | "node", handlerUrl: string): string {
  const named = process.env[`SVC_${name.toUpperCase()}_PATH`];
  if (named) return named;
  if (name === "node") return process.execPath;
  const root = process.env["LAMBDA_TASK_ROOT"];
  const places = [...(root ? [root] : []), dirname(fileURLToPath(handlerUrl))].map((place) => join(place, "bin", name));
  return places.find((path) => existsSync(path)) ?? name;
}

/** How much of the memory limit a V8 heap may take; without a limit, V8 decides. The rest is for buffers, code and the process itself. */
export function heapLimitMb(): number | undefined {
  const { memoryLimitKb } = settings();
  return memoryLimitKb && Math.floor((memoryLimitKb / 1024) * 0.85);
}
