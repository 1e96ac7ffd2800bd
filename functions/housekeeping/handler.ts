import type { Context } from "aws-lambda";
import { concurrencyTable } from "../../aws/dynamodb/concurrency-table.ts";
import { type JobTable, jobTable } from "../../aws/dynamodb/job-table.ts";
import { scanObjects } from "../../aws/dynamodb/object-scan.ts";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { anchorKey } from "../../aws/kms/anchor-key.ts";
import { functions } from "../../aws/lambda/functions.ts";
import { storage } from "../../aws/s3/storage.ts";
import { queue } from "../../aws/sqs/queue.ts";
import { executions } from "../../aws/stepfunctions/executions.ts";
import { env, requireEnv } from "../../contract/env.ts";
import { flowCancellation } from "../../services/flows/lifecycle/cancel.ts";
import { gatedFlows } from "../../services/flows/runtime/gated-flows.ts";
import { type TickResult, tick } from "../../services/maintenance/tick.ts";
import { logger } from "../shared/edge.ts";
import { jobData } from "../shared/job-data.ts";

/** Of the 55 s that one call may last. */
const BUDGET_MS = 35_000;

/**
 * `nowMs` lets an operator, or a test, do now what would be due then. `aheadMs` looks at jobs that are due that much later as well:
 * what becomes of them is decided by `nowMs` alone. `budgetMs` ends the removal of deleted workspaces earlier.
 */
export async function handler(event: { nowMs?: number; aheadMs?: number; budgetMs?: number }, context: Context): Promise<TickResult> {
  const startedMs = Date.now();
  const nowMs = () => event.nowMs ?? Date.now();
  const due: JobTable["due"] = (shard, untilMs, limit) => jobTable.due(shard, untilMs + (event.aheadMs ?? 0), limit);
  const canceling = { jobs: { ...jobTable, due }, concurrency: concurrencyTable, executions, storage, queue, nowMs };
  const collaborators = {
    ...canceling,
    onJobCanceled: [flowCancellation(canceling)],
    jobData,
    objects: objectTable,
    functions,
    scanObjects,
    stack: requireEnv(env.stack),
    anchorKey,
    gatedFlows: gatedFlows({ jobs: jobTable, objects: objectTable, storage, executions }),
  };
  const done = await tick(collaborators, startedMs + (event.budgetMs ?? BUDGET_MS));
  logger.info("tick", { requestId: context.awsRequestId, ...done });
  return done;
}
