import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { keySets } from "../../aws/http/key-sets.ts";
import { httpRouteKeys } from "../../aws/kms/data-keys.ts";
import { findPublicKey } from "../../aws/kms/signing-keys.ts";
import { env } from "../../contract/env.ts";
import type { Job } from "../../core/jobs/record/job.ts";
import { findLastStep } from "../../services/flows/inspection/last-step.ts";
import { createKeySetReader } from "../../services/identity/tokens/issuer-keys.ts";
import { createSyncLimitReader } from "../../services/settings/sync-limit.ts";
import { executorDeps } from "../shared/wiring/executor.ts";
import { jobData } from "../shared/wiring/job-data.ts";
import type { RoutePorts } from "./answer-request.ts";

const executor = executorDeps("routes");

/** The ports of the function `routes`. */
export const deps: RoutePorts = {
  ...executor,
  // A synchronous caller waits for the answer.
  maxRetryMs: 4000,
  objects: objectTable,
  jobData,
  syncLimitMs: createSyncLimitReader({ objects: objectTable, nowMs: executor.nowMs }),
  findLastStep: (flow: Job) => findLastStep(executor, flow),
  publicKey: findPublicKey,
  httpRouteKeys,
  readKeySet: createKeySetReader({ keySets, nowMs: executor.nowMs }),
  includedHeaders: (process.env[env.includeHeaders] ?? "").split(",").flatMap((name) => name.trim().toLowerCase() || []),
  routesKey: process.env[env.routesKey] || undefined,
};
