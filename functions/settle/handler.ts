import { concurrencyTable } from "../../aws/dynamodb/concurrency-table.ts";
import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { functions } from "../../aws/lambda/functions.ts";
import { storage } from "../../aws/s3/storage.ts";
import { queue } from "../../aws/sqs/queue.ts";
import { executions } from "../../aws/stepfunctions/executions.ts";
import { executionEventSchema } from "../../core/flows/execution-event.ts";
import { reconcileExecution } from "../../services/flows/lifecycle/reconcile.ts";
import { logger, observeHandler } from "../shared/observe.ts";

const settling = { jobs: jobTable, concurrency: concurrencyTable, storage, queue, executions, functions, nowMs: Date.now };

/** A flow's execution has ended in another way than by success: by itself, or because somebody stopped it in the console. */
async function settleExecution(event: unknown): Promise<void> {
  const ours = executionEventSchema.parse(event);
  if (!ours) return;
  const { job, execution, stopped } = ours;
  await reconcileExecution(settling, { job, execution }, { stopped });
  logger.info("settled", { job, execution, stopped });
}

export const handler = observeHandler("settle", settleExecution);
