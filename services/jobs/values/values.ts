import { randomBytes } from "node:crypto";
import type { Child, JobTable } from "../../../aws/dynamodb/job-table.ts";
import type { Storage } from "../../../aws/s3/storage.ts";
import { assertNever } from "../../../contract/assert-never.ts";
import { limits } from "../../../contract/limits.ts";
import { type ChildKind, childPrefix, childRef } from "../../../core/jobs/child-items.ts";
import type { Job, ValueLocation } from "../../../core/jobs/job.ts";

export interface ValueDeps {
  jobs: JobTable;
  storage: Storage;
}
/** The kinds of values that a job stores. */
type ValueKind = Extract<ChildKind, "args" | "code" | "end" | "shown" | "approval">;
type Owner = Pick<Job, "id" | "workspace" | "expiresAtMs">;

/** A name that nothing else of the job has. */
const newName = (what: ValueKind) => childRef(what, randomBytes(6).toString("hex"));

/** Everything that a job keeps in S3 stands under this prefix. */
export const jobPrefix = (job: Pick<Job, "id" | "workspace">) => `jobs/${job.workspace}/${job.id}/`;

/**
 * Keeps a value where its size belongs: inline up to 512 bytes, a child item up to 8 KB, S3 above. It is written before the head
 * that names it, under a random name: a job id that turns out to be taken harms nothing.
 */
export async function storeValue(
  deps: ValueDeps,
  job: Owner,
  what: Exclude<ValueKind, "end" | "shown">,
  json: string,
): Promise<ValueLocation> {
  return Buffer.byteLength(json) <= limits.inlineBytes ? { in: "head", json } : storeValueApart(deps, job, what, json);
}

/** The same for a value that has no place in the head. */
export async function storeValueApart({ jobs, storage }: ValueDeps, job: Owner, what: ValueKind, json: string): Promise<ValueLocation> {
  const item = asItem(job, what, json);
  if (item) {
    await jobs.putChild(item.child);
    return item.place;
  }
  const key = `${jobPrefix(job)}${newName(what)}.json`;
  await storage.put(key, json, "application/json");
  return { in: "s3", key, bytes: Buffer.byteLength(json) };
}

/** The same, but what fits an item is left to the caller, who writes several together. */
export async function stageValue(
  deps: ValueDeps,
  job: Owner,
  { what, json }: { what: ValueKind; json: string },
  children: Child[],
): Promise<ValueLocation> {
  const item = asItem(job, what, json);
  if (!item) return storeValueApart(deps, job, what, json);
  children.push(item.child);
  return item.place;
}

/** The item that keeps a value; `undefined` where it is too large for one. */
function asItem(job: Owner, what: ValueKind, json: string): { place: ValueLocation; child: Child } | undefined {
  if (Buffer.byteLength(json) > limits.itemBytes) return undefined;
  const ref = newName(what);
  return { place: { in: "item", ref }, child: { parent: job.id, ref, json, expiresAtS: Math.ceil(job.expiresAtMs / 1000) } };
}

/** The JSON text of a kept value. */
export async function loadValue({ jobs, storage }: ValueDeps, job: Pick<Job, "id">, place: ValueLocation): Promise<string> {
  switch (place.in) {
    case "head":
      return place.json;
    case "item": {
      const child = await jobs.getChild(job.id, place.ref);
      if (child?.json === undefined) throw new Error(`Job ${job.id} has lost its item ${place.ref}.`);
      return child.json;
    }
    case "s3":
      return storage.getText(place.key);
    default:
      return assertNever(place);
  }
}

/**
 * Keeps a value of another job as one of this job, so that each is erased with its own. What is in S3 is copied there and not read. The
 * JSON text comes along where it was read.
 */
export async function copyValue(
  deps: ValueDeps,
  { from, place }: { from: Pick<Job, "id">; place: ValueLocation },
  job: Owner,
  what: "end" | "shown",
): Promise<{ place: ValueLocation; json?: string }> {
  switch (place.in) {
    case "head":
      return { place, json: place.json };
    case "item": {
      const json = await loadValue(deps, from, place);
      return { place: await storeValueApart(deps, job, what, json), json };
    }
    case "s3": {
      const key = `${jobPrefix(job)}${newName(what)}.json`;
      await deps.storage.copy(place.key, key);
      return { place: { ...place, key } };
    }
    default:
      return assertNever(place);
  }
}

/** A chunk of output. `bytes`: how large it was before it was masked, so that it is kept where it would have been. */
export interface OutputChunk {
  offset: number;
  text: string;
  bytes?: number;
}

export const outputRef = (attempt: number, offset: number) =>
  childRef("output", `${String(attempt).padStart(3, "0")}#${String(offset).padStart(9, "0")}`);

/**
 * Keeps a chunk of output, and beside it, where both fit one item, the run's result. The reference is made of attempt and offset:
 * the same chunk sent twice is written once. Answers the reference.
 */
export async function storeOutput(
  { jobs, storage }: ValueDeps,
  job: Owner,
  { attempt, resultJson, ...logs }: OutputChunk & { attempt: number; resultJson?: string },
): Promise<string> {
  const ref = outputRef(attempt, logs.offset);
  const child: Child = { parent: job.id, ref, chars: logs.text.length, expiresAtS: Math.ceil(job.expiresAtMs / 1000) };
  if ((logs.bytes ?? Buffer.byteLength(logs.text)) + Buffer.byteLength(resultJson ?? "") > limits.itemBytes) {
    child.s3Key = `${jobPrefix(job)}${ref}.txt`;
    await storage.put(child.s3Key, logs.text, "text/plain; charset=utf-8");
  } else {
    child.text = logs.text;
  }
  if (resultJson !== undefined) child.json = resultJson;
  await jobs.putChild(child);
  return ref;
}

/** All output of a job from an offset on, attempts one after the other. */
export async function loadLogs({ jobs, storage }: ValueDeps, job: Pick<Job, "id" | "logChars">, fromOffset = 0): Promise<string> {
  if (job.logChars === 0) return "";
  let position = 0;
  let text = "";
  let attempt = "";
  for (const chunk of await jobs.children(job.id, childPrefix.output)) {
    const of = chunk.ref.split("#")[1] ?? "";
    if (attempt !== "" && of !== attempt) {
      const marker = `\n[svc] The worker was lost. Attempt ${Number(of)} follows.\n`;
      text += marker.slice(Math.max(0, fromOffset - position));
      position += marker.length;
    }
    attempt = of;
    const chars = chunk.chars ?? 0;
    if (position + chars > fromOffset) {
      const part = chunk.text ?? (chunk.s3Key ? await storage.getText(chunk.s3Key) : "");
      text += part.slice(Math.max(0, fromOffset - position));
    }
    position += chars;
  }
  return text;
}
