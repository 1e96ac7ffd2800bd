import { functions } from "../../aws/functions.ts";
import { jobTable } from "../../aws/job-table.ts";
import { signingKey } from "../../aws/keys.ts";
import { queue } from "../../aws/queue.ts";
import { storage } from "../../aws/storage.ts";
import { env, requireEnv } from "../../contract/env.ts";
import type { Executing } from "../../services/jobs/execute.ts";

/** What every function that executes jobs is wired with. `name` shows in the job's record as its worker. */
export function executor(name: string): Executing {
  return {
    jobs: jobTable,
    storage,
    queue,
    functions,
    signingKey,
    nowMs: Date.now,
    baseUrl: requireEnv(env.baseUrl),
    internalUrl: requireEnv(env.internalUrl),
    worker: `${name}-${process.pid}`,
  };
}
