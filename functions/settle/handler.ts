import { concurrencyTable } from "../../aws/dynamodb/concurrency-table.ts";
import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { functions } from "../../aws/lambda/functions.ts";
import { storage } from "../../aws/s3/storage.ts";
import { queue } from "../../aws/sqs/queue.ts";
import { executions } from "../../aws/stepfunctions/executions.ts";
import { executionEventSchema } from "../../core/flows/history/execution-event.ts";
import { countOutcome } from "../../core/telemetry/telemetry.ts";
import { reconcileExecution } from "../../services/flows/lifecycle/reconcile.ts";
import { logger, observeHandler } from "../shared/observe.ts";
import { followUps } from "../shared/wiring/follow-ups.ts";

const deps = { followUps, jobs: jobTable, concurrency: concurrencyTable, storage, queue, executions, functions, nowMs: Date.now };

/** Handles the event that a flow's execution ended without success, or that a person stopped it in the console. */
async function settleExecution(event: unknown): Promise<void> {
  const ours = executionEventSchema.parse(event);
  if (!ours) return;
  const { job, execution, stopped, failed } = ours;
  if (failed) countOutcome("ExecutionsFailed");
  await reconcileExecution(deps, { job, execution }, { stopped });
  logger.info("settled", { job, execution, stopped });
}

export const handler = observeHandler("settle", settleExecution);
