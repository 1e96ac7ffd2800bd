import { limits } from "../../../contract/limits.ts";
import { type JobField, jobFields } from "./fields.ts";
import type { EndedJob, Job } from "./job.ts";
import { cutPreview, previewArgs } from "./preview.ts";
import type { ValueLocation } from "./value-ref.ts";

/** The size of a head with an inline result, below which a write takes one write unit. */
const MAX_HEAD_BYTES = 1000;

/** Returns whether a result can be stored in the job's head. The size that DynamoDB bills is approximately that of names and values as text. */
export function fitsJobHead(job: Job, resultJson: string): boolean {
  const bytes = Buffer.byteLength(resultJson);
  // The preview of the arguments gives way to the result (`fitPreviews`).
  const { argsPreview: _, ...head } = job;
  return bytes <= limits.inlineBytes && Buffer.byteLength(JSON.stringify(head)) + bytes <= MAX_HEAD_BYTES;
}

/** The attributes that claiming a job and its end add: worker, nonce and lease, or times, memory and the reference of the result. */
const LATER_BYTES = 150;
const fields: Readonly<Record<string, JobField>> = jobFields;

/** Returns the size that DynamoDB bills for a value, approximately. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (typeof value === "number") return Math.ceil(String(value).length / 2) + 1;
  if (typeof value !== "object" || value === null) return 1;
  // A list has its indexes as names here, which are as long as what DynamoDB adds to each element.
  return Object.entries(value).reduce((sum, [name, item]) => sum + name.length + 1 + sizeOf(item), 3);
}

/** Returns the size of a job's head with the keys of its indexes, approximately. */
export function estimateHeadBytes(job: Partial<EndedJob> | Partial<Job>): number {
  const { workspace = "", path = "" } = job;
  const keys = 90 + 2 * workspace.length + ((path && path.length + workspace.length + 4) || 0);
  return Object.entries(job).reduce((sum, [name, value]) => sum + (fields[name]?.stored.length ?? 0) + sizeOf(value), keys);
}

/**
 * Returns the preview of arguments that are not in the head of their new job: as much as the head can store until the end without a further write unit.
 * `shown` are the arguments that people see.
 */
export function buildArgsPreview(job: Partial<Job>, location: ValueLocation, shown: object): { argsPreview?: string } {
  const { hiddenArgs } = job;
  if (location.in === "head" || hiddenArgs === undefined) return {};
  const room = MAX_HEAD_BYTES - LATER_BYTES - estimateHeadBytes(job);
  const argsPreview = previewArgs(shown, hiddenArgs, Math.min(room, limits.valuePreviewBytes));
  return argsPreview ? { argsPreview } : {};
}

/**
 * Returns the previews of a job that ends with a stored result. `shownJson` is the result that people see, if its text is known. The preview of the
 * arguments becomes shorter if the head would otherwise take a further write unit.
 */
export function buildEndPreviews(
  job: Partial<Job>,
  stored: { result: ValueLocation; redactedResult?: ValueLocation | undefined },
  shownJson: string | undefined,
): { argsPreview?: string; resultPreview?: string } {
  const room = MAX_HEAD_BYTES - estimateHeadBytes({ ...job, ...stored });
  if (room < 0 && job.argsPreview) {
    return { argsPreview: cutPreview(job.argsPreview, Math.max(0, Buffer.byteLength(job.argsPreview) + room)) };
  }
  const { in: place } = stored.redactedResult ?? stored.result;
  const resultPreview = place === "head" || shownJson === undefined ? "" : cutPreview(shownJson, Math.min(room, limits.valuePreviewBytes));
  return resultPreview ? { resultPreview } : {};
}
