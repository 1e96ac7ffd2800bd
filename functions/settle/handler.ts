import { concurrencyTable } from "../../aws/concurrency-table.ts";
import { executions } from "../../aws/executions.ts";
import { functions } from "../../aws/functions.ts";
import { jobTable } from "../../aws/job-table.ts";
import { queue } from "../../aws/queue.ts";
import { storage } from "../../aws/storage.ts";
import { executionEventSchema } from "../../core/flows/execution-event.ts";
import { settle } from "../../services/flows/finish.ts";
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
