import type { Context } from "aws-lambda";
import { type JobTable, jobTable } from "../../aws/job-table.ts";
import { objectTable } from "../../aws/object-table.ts";
import { queue } from "../../aws/queue.ts";
import { storage } from "../../aws/storage.ts";
import { type Housekept, housekeep } from "../../services/jobs/housekeep.ts";
import { logger } from "../shared/edge.ts";

/**
 * `nowMs` lets an operator, or a test, do now what would be due then. `aheadMs` looks at jobs that are due that much later as well:
 * what becomes of them is decided by `nowMs` alone.
 */
export async function handler(event: { nowMs?: number; aheadMs?: number }, context: Context): Promise<Housekept> {
  const nowMs = () => event.nowMs ?? Date.now();
  const due: JobTable["due"] = (shard, untilMs, limit) => jobTable.due(shard, untilMs + (event.aheadMs ?? 0), limit);
  const done = await housekeep({ jobs: { ...jobTable, due }, objects: objectTable, storage, queue, nowMs });
  logger.info("tick", { requestId: context.awsRequestId, ...done });
  return done;
}
