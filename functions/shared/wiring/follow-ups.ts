import { objectTable } from "../../../aws/dynamodb/object-table.ts";
import { queue } from "../../../aws/sqs/queue.ts";
import { connectOutcomeHandlers } from "../../../services/outcome-handlers/follow-ups.ts";

/** Connects the end of a job with the follow-ups: outcome handlers and schedules. Every function that ends jobs uses it. */
export const followUps = connectOutcomeHandlers({ objects: objectTable, queue, nowMs: Date.now });
