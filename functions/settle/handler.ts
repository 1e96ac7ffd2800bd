import { concurrencyTable } from "../../aws/dynamodb/concurrency-table.ts";
import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { functions } from "../../aws/lambda/functions.ts";
import { storage } from "../../aws/s3/storage.ts";
import { queue } from "../../aws/sqs/queue.ts";
import { executions } from "../../aws/stepfunctions/executions.ts";
import { executionEventSchema } from "../../core/flows/execution-event.ts";
import { settle } from "../../services/flows/lifecycle/finish.ts";
import { logger } from "../shared/edge.ts";

const settling = { jobs: jobTable, concurrency: concurrencyTable, storage, queue, executions, functions, nowMs: Date.now };

/** A flow's execution has ended in another way than by success: by itself, or because somebody stopped it in the console. */
export async function handler(event: unknown): Promise<void> {
  const ours = executionEventSchema.parse(event);
  if (!ours) return;
  const { job, n, stopped } = ours;
  await settle(settling, job, n, stopped);
  logger.info("settled", { job, n, stopped });
}
