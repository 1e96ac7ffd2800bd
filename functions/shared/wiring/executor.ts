import { jobTable } from "../../../aws/dynamodb/job-table.ts";
import { getSigningKey } from "../../../aws/kms/signing-keys.ts";
import { functions } from "../../../aws/lambda/functions.ts";
import { storage } from "../../../aws/s3/storage.ts";
import { queue } from "../../../aws/sqs/queue.ts";
import { env, requireEnv } from "../../../contract/env.ts";
import { limits } from "../../../contract/limits.ts";
import { followUps } from "./follow-ups.ts";

/**
 * The dependencies of every function that runs scripts. `name` is recorded in the job as its worker. By default, the function waits for a runner
 * as long as its caller waits for the reply.
 */
export function executorDeps(name: string, waitsForMs: () => number = () => limits.syncCallMs) {
  return {
    jobs: jobTable,
    storage,
    queue,
    functions,
    followUps,
    signingKey: getSigningKey,
    nowMs: Date.now,
    baseUrl: requireEnv(env.baseUrl),
    internalUrl: requireEnv(env.internalUrl),
    beatUrl: requireEnv(env.beatUrl),
    worker: `${name}-${process.pid}`,
    tenancy: process.env[env.tenancy] === "workspace" ? ("workspace" as const) : ("identity" as const),
    waitsForMs,
  };
}
