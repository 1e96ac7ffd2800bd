import { randomBytes } from "node:crypto";
import type { Child } from "../../../aws/dynamodb/job-items.ts";
import { limits } from "../../../contract/limits.ts";
import { assertNever } from "../../../contract/utilities/assert-never.ts";
import { type ChildKind, childPrefix, childRef } from "../../../core/jobs/lists/child-items.ts";
import type { Job } from "../../../core/jobs/record/job.ts";
import { type DataOwner, objectPrefix } from "../../../core/jobs/record/retention.ts";
import type { ValueLocation } from "../../../core/jobs/record/value-ref.ts";
import { parseJson } from "../../../core/records/record-format.ts";
import type { Uses } from "../../uses.ts";

/** The kinds of values that a job stores. */
type ValueKind = Extract<ChildKind, "args" | "code" | "reusedSteps" | "result" | "redacted" | "approval">;
/** The job to which a value belongs. */
export type ValueOwner = DataOwner & Pick<Job, "expiresAtMs">;

/** Returns an unused name for a value of the job. */
const newValueRef = (kind: ValueKind) => childRef(kind, randomBytes(6).toString("hex"));

/**
 * Stores a value by its size: inline up to 512 bytes, as a child item up to 8 KB, larger ones in S3. It is written before the head that names it,
 * under a random name, so a job id that turns out to be taken causes no damage.
 */
export async function storeValue(
  deps: Uses<"jobs" | "storage">,
  job: ValueOwner,
  kind: Exclude<ValueKind, "result" | "redacted">,
  json: string,
): Promise<ValueLocation> {
  return Buffer.byteLength(json) <= limits.inlineBytes ? { in: "head", json } : storeValueOutsideHead(deps, job, kind, json);
}

/** Stores a value as a child item or in S3, for values that must not be in the head. */
export async function storeValueOutsideHead(
  { jobs, storage }: Uses<"jobs" | "storage">,
  job: ValueOwner,
  kind: ValueKind,
  json: string,
): Promise<ValueLocation> {
  const item = toChildItem(job, kind, json);
  if (item) {
    await jobs.putChild(item.child);
    return item.location;
  }
  const key = `${objectPrefix(job)}${newValueRef(kind)}.json`;
  await storage.putObject(key, json, "application/json");
  return { in: "s3", key, bytes: Buffer.byteLength(json) };
}

/** Stores a value in S3, or adds its item to `children`, which the caller writes together. */
export async function stageValue(
  deps: Uses<"jobs" | "storage">,
  job: ValueOwner,
  { kind, json }: { kind: ValueKind; json: string },
  children: Child[],
): Promise<ValueLocation> {
  const item = toChildItem(job, kind, json);
  if (!item) return storeValueOutsideHead(deps, job, kind, json);
  children.push(item.child);
  return item.location;
}

/** Returns the item of a value; `undefined` if the value is too large for an item. */
function toChildItem(job: ValueOwner, kind: ValueKind, json: string): { location: ValueLocation; child: Child } | undefined {
  if (Buffer.byteLength(json) > limits.itemBytes) return undefined;
  const ref = newValueRef(kind);
  return { location: { in: "item", ref }, child: { parent: job.id, ref, json, expiresAtS: Math.ceil(job.expiresAtMs / 1000) } };
}

/** Loads the JSON text of a stored value. */
export async function loadValue(
  { jobs, storage }: Uses<"jobs" | "storage">,
  job: Pick<Job, "id">,
  location: ValueLocation,
): Promise<string> {
  switch (location.in) {
    case "head":
      return location.json;
    case "item": {
      const child = await jobs.getChild(job.id, location.ref);
      if (child?.json === undefined) throw new Error(`Job ${job.id} has lost its item ${location.ref}.`);
      return child.json;
    }
    case "s3":
      return storage.getObjectText(location.key);
    default:
      return assertNever(location);
  }
}

/**
 * Copies a value of another job, so that each copy is erased with its own job. An S3 object is copied without being read; otherwise the
 * JSON text is returned too.
 */
export async function copyValue(
  deps: Uses<"jobs" | "storage">,
  { from, location }: { from: Pick<Job, "id">; location: ValueLocation },
  job: ValueOwner,
  kind: "result" | "redacted",
): Promise<{ location: ValueLocation; json?: string }> {
  switch (location.in) {
    case "head":
      return { location, json: location.json };
    case "item": {
      const json = await loadValue(deps, from, location);
      return { location: await storeValueOutsideHead(deps, job, kind, json), json };
    }
    case "s3": {
      const key = `${objectPrefix(job)}${newValueRef(kind)}.json`;
      await deps.storage.copyObject(location.key, key);
      return { location: { ...location, key } };
    }
    default:
      return assertNever(location);
  }
}

/** Parses a stored value of any shape. Throws `UnreadableRecordError` where its text is not JSON. */
export async function loadJson(deps: Uses<"jobs" | "storage">, job: Pick<Job, "id">, location: ValueLocation): Promise<unknown> {
  const name = location.in === "item" ? location.ref : location.in === "s3" ? location.key : "head";
  return parseJson({ parent: job.id, ref: name, json: await loadValue(deps, job, location) });
}

/** A chunk of output. `bytes` is its size before masking, so that its location does not depend on masking. */
export interface OutputChunk {
  offset: number;
  text: string;
  bytes?: number;
}

const OFFSET_DIGITS = 9;
/** The reference of an output chunk; chunks sort by attempt and offset. */
export const outputRef = (attempt: number, offset: number) =>
  childRef("output", `${String(attempt).padStart(3, "0")}#${String(offset).padStart(OFFSET_DIGITS, "0")}`);

/**
 * Stores a chunk of output, and the run's result with it if both fit one item. The reference consists of attempt and offset, so a chunk
 * that is sent twice is stored once. Returns the reference.
 */
export async function storeOutput(
  { jobs, storage }: Uses<"jobs" | "storage">,
  job: ValueOwner,
  { attempt, resultJson, ...logs }: OutputChunk & { attempt: number; resultJson?: string },
): Promise<string> {
  const ref = outputRef(attempt, logs.offset);
  const child: Child = { parent: job.id, ref, chars: logs.text.length, expiresAtS: Math.ceil(job.expiresAtMs / 1000) };
  if ((logs.bytes ?? Buffer.byteLength(logs.text)) + Buffer.byteLength(resultJson ?? "") > limits.itemBytes) {
    child.s3Key = `${objectPrefix(job)}${ref}.txt`;
    await storage.putObject(child.s3Key, logs.text, "text/plain; charset=utf-8");
  } else {
    child.text = logs.text;
  }
  if (resultJson !== undefined) child.json = resultJson;
  await jobs.putChild(child);
  return ref;
}

/**
 * Returns a chunk of output as an item that is not stored yet. A large one is stored in S3 under an unused name, so a job id that turns out to be
 * taken causes no damage.
 */
export async function stageOutput(
  { storage }: Uses<"storage">,
  job: ValueOwner,
  { attempt, offset, text }: OutputChunk & { attempt: number },
): Promise<Child> {
  const ref = outputRef(attempt, offset);
  const child = { parent: job.id, ref, chars: text.length, expiresAtS: Math.ceil(job.expiresAtMs / 1000) };
  if (Buffer.byteLength(text) <= limits.itemBytes) return { ...child, text };
  const s3Key = `${objectPrefix(job)}${ref}#${randomBytes(6).toString("hex")}.txt`;
  await storage.putObject(s3Key, text, "text/plain; charset=utf-8");
  return { ...child, s3Key };
}

/** Loads the output that the current attempt of a job has sent before the one at `offset`. */
export async function loadEarlierOutput(
  { jobs, storage }: Uses<"jobs" | "storage">,
  { id, attempt }: Pick<Job, "id" | "attempt">,
  offset: number,
): Promise<string> {
  const end = outputRef(attempt, offset);
  const chunks = await jobs.listChildren(id, outputRef(attempt, 0).slice(0, -OFFSET_DIGITS));
  const texts = chunks.filter(({ ref }) => ref < end).map(({ text, s3Key }) => text ?? (s3Key ? storage.getObjectText(s3Key) : ""));
  return (await Promise.all(texts)).join("");
}

/** Loads a job's output from an offset on (characters), all attempts in order. */
export async function loadLogs(
  { jobs, storage }: Uses<"jobs" | "storage">,
  job: Pick<Job, "id" | "logChars">,
  fromOffset = 0,
): Promise<string> {
  if (job.logChars === 0) return "";
  let position = 0;
  let text = "";
  let attempt = "";
  for (const chunk of await jobs.listChildren(job.id, childPrefix.output)) {
    const of = chunk.ref.split("#")[1] ?? "";
    if (attempt !== "" && of !== attempt) {
      const marker = `\n[svc] The worker was lost. Attempt ${Number(of)} follows.\n`;
      text += marker.slice(Math.max(0, fromOffset - position));
      position += marker.length;
    }
    attempt = of;
    const chars = chunk.chars ?? 0;
    if (position + chars > fromOffset) {
      const part = chunk.text ?? (chunk.s3Key ? await storage.getObjectText(chunk.s3Key) : "");
      text += part.slice(Math.max(0, fromOffset - position));
    }
    position += chars;
  }
  return text;
}
