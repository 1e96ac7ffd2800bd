import type { Context } from "aws-lambda";
import { jobTable } from "../../aws/job-table.ts";
import { objectTable } from "../../aws/object-table.ts";
import { queue } from "../../aws/queue.ts";
import { storage } from "../../aws/storage.ts";
import { type Housekept, housekeep } from "../../services/jobs/housekeep.ts";
import { logger } from "../shared/edge.ts";

/** `nowMs` lets an operator, or a test, do now what would be due then. */
export async function handler(event: { nowMs?: number }, context: Context): Promise<Housekept> {
  const nowMs = () => event.nowMs ?? Date.now();
  const done = await housekeep({ jobs: jobTable, objects: objectTable, storage, queue, nowMs });
  logger.info("tick", { requestId: context.awsRequestId, ...done });
  return done;
}
