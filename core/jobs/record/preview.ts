import { isJsonObject } from "../../../contract/json/json-object.ts";
import { limits } from "../../../contract/limits.ts";
import { parseReference } from "../../../contract/utilities/reference.ts";
import { parseJson } from "../../records/record-format.ts";
import { argsVisibleTo, hasEnded, type Job, PEOPLE, resultVisibleTo } from "./job.ts";

const HIDDEN = "***";
const CUT = "…";
/** The size below which a cut text is of no use. */
const MIN_BYTES = 20;
/** The names that a job can store without a larger head. */
const MAX_NAMES_BYTES = 200;

/** Returns a text that has at most `bytes` bytes in UTF-8, with a mark where it was cut; "" if too little would remain. */
export function cutPreview(text: string, bytes: number = limits.valuePreviewBytes): string {
  // A character has at least one byte, so the rest of a long text is not encoded.
  const encoded = Buffer.from(text.slice(0, bytes + 1));
  if (encoded.length <= bytes) return text;
  if (bytes < MIN_BYTES) return "";
  let end = bytes - Buffer.byteLength(CUT);
  // The other bytes of a character begin with the bits 10.
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${encoded.subarray(0, end).toString()}${CUT}`;
}

/** Yields the JSON text of a value in parts, with references hidden, so that the beginning of a large value is written without the rest. */
function* writeJson(value: unknown): Generator<string> {
  if (typeof value === "string") {
    yield JSON.stringify(parseReference(value) ? HIDDEN : value.slice(0, limits.valuePreviewBytes));
  } else if (Array.isArray(value)) {
    yield "[";
    for (const [index, item] of value.entries()) {
      if (index > 0) yield ",";
      yield* writeJson(item);
    }
    yield "]";
  } else if (typeof value === "object" && value !== null) {
    yield "{";
    for (const [index, [name, item]] of Object.entries(value).entries()) {
      yield `${index > 0 ? "," : ""}${JSON.stringify(name.slice(0, limits.valuePreviewBytes))}:`;
      yield* writeJson(item);
    }
    yield "}";
  } else yield JSON.stringify(value) ?? "null";
}

/** Returns the beginning of arguments as JSON text. The values of the arguments `hidden` and of references are replaced. */
export function previewArgs(args: object, hidden: readonly string[], bytes?: number): string {
  const shown = Object.fromEntries(Object.entries(args).map(([name, value]) => [name, hidden.includes(name) ? HIDDEN : value]));
  let text = "";
  for (const part of writeJson(shown)) {
    text += part;
    if (text.length > limits.valuePreviewBytes) break;
  }
  return cutPreview(text, bytes);
}

/**
 * Returns the names of the arguments that a JSON Schema marks as passwords or as resources, at any depth. `undefined` if they are too many for the
 * record of a job, which then has no preview of its arguments.
 */
export function listHiddenArgs(schema: unknown): string[] | undefined {
  const properties = isJsonObject(schema) && isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const names = Object.keys(properties).filter((name) => marksSecret(properties[name]));
  return Buffer.byteLength(JSON.stringify(names)) > MAX_NAMES_BYTES ? undefined : names;
}

function marksSecret(schema: unknown): boolean {
  const waiting = [schema];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== "object" || next === null) continue;
    const { password, format } = next as Record<string, unknown>;
    if (password === true || format === "password" || (typeof format === "string" && format.startsWith("resource-"))) return true;
    waiting.push(...Object.values(next));
  }
  return false;
}

/**
 * Returns the names of the hidden arguments of a step. A step can receive any input of its flow, so the steps of a flow with hidden inputs have no
 * preview of their arguments.
 */
export const listHiddenArgsOfStep = (flow: Pick<Job, "hiddenArgs">, hidden: string[] | undefined): string[] | undefined =>
  flow.hiddenArgs?.length === 0 ? hidden : undefined;

/** Returns the previews of a job's values. They need nothing but its record: small values are in it, and others have a preview in it. */
export function getPreviews(job: Job): { args_preview?: string; result_preview?: string } {
  if (hasEnded(job) && job.erased) return {};
  const args = previewStoredArgs(job);
  const result = hasEnded(job) ? previewStoredResult(resultVisibleTo(PEOPLE, job), job.resultPreview) : "";
  return { ...(args ? { args_preview: args } : {}), ...(result ? { result_preview: result } : {}) };
}

function previewStoredArgs(job: Job): string {
  const { hiddenArgs, argsPreview = "", preprocess } = job;
  // An event for a preprocessor has no schema that marks its secrets.
  if (hiddenArgs === undefined || preprocess === "wanted") return "";
  const location = argsVisibleTo(PEOPLE, job);
  return location.in === "head"
    ? previewArgs(parseJson({ parent: job.id, ref: "args", json: location.json }) as object, hiddenArgs)
    : argsPreview;
}

const previewStoredResult = (location: ReturnType<typeof resultVisibleTo>, stored = "") =>
  location.in === "head" ? cutPreview(location.json) : stored;
