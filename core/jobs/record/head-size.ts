import { limits } from "../../../contract/limits.ts";
import type { Job } from "./job.ts";

/** The size of a head with an inline result, below which a write takes one write unit. */
const MAX_HEAD_BYTES = 1000;

/** Returns whether a result can be stored in the job's head. The size that DynamoDB bills is approximately that of names and values as text. */
export function fitsJobHead(job: Job, resultJson: string): boolean {
  const bytes = Buffer.byteLength(resultJson);
  return bytes <= limits.inlineBytes && Buffer.byteLength(JSON.stringify(job)) + bytes <= MAX_HEAD_BYTES;
}
