import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { keySets } from "../../aws/http/key-sets.ts";
import { httpRouteKeys } from "../../aws/kms/data-keys.ts";
import { findPublicKey } from "../../aws/kms/signing-keys.ts";
import { env } from "../../contract/env.ts";
import type { Job } from "../../core/jobs/job.ts";
import { findLastStep } from "../../services/flows/inspection/last-step.ts";
import { authenticateRequest } from "../../services/http-routes/authenticate-request.ts";
import { findHttpRoute } from "../../services/http-routes/find-http-route.ts";
import { createKeySetReader } from "../../services/http-routes/issuer-keys.ts";
import { recordRefusal } from "../../services/http-routes/record-refusal.ts";
import { answerStatic } from "../../services/http-routes/static-files.ts";
import { createSyncLimitReader } from "../../services/settings/sync-limit.ts";
import { executorDeps } from "../shared/wiring/executor.ts";
import { jobData } from "../shared/wiring/job-data.ts";
import type { AnswerRequestDeps } from "./answer-request.ts";

const executor = executorDeps("routes");

const authenticateDeps = {
  objects: objectTable,
  jobs: executor.jobs,
  publicKey: findPublicKey,
  httpRouteKeys,
  readKeySet: createKeySetReader({ keySets, nowMs: executor.nowMs }),
  nowMs: executor.nowMs,
};

/** The dependencies of the function `routes`. */
export const deps: AnswerRequestDeps = {
  ...executor,
  // A synchronous caller waits for the answer.
  maxRetryMs: 4000,
  objects: objectTable,
  jobData,
  syncLimitMs: createSyncLimitReader({ objects: objectTable, nowMs: executor.nowMs }),
  findLastStep: (flow: Job) => findLastStep(executor, flow),
  findHttpRoute: (search) => findHttpRoute({ objects: objectTable }, search),
  authenticateRequest: (found, sent) => authenticateRequest(authenticateDeps, found, sent),
  recordRefusal: (found, reason) => recordRefusal({ objects: objectTable, nowMs: executor.nowMs }, found, reason),
  answerStatic: (found, request) => answerStatic({ objects: objectTable, jobs: executor.jobs, storage: executor.storage }, found, request),
  includedHeaders: (process.env[env.includeHeaders] ?? "").split(",").flatMap((name) => name.trim().toLowerCase() || []),
  routesKey: process.env[env.routesKey] || undefined,
};
