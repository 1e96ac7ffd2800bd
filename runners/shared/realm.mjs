/*
 * Runs a TypeScript script inside its process or worker, in bun, deno and nodejs alike: passes arguments and encodes the result or error.
 * It is plain JavaScript because it runs without a build, and small because every fresh run loads it.
 */
// It imports none of Node's modules and uses Buffer only where necessary: in bun, each of them costs a fresh worker milliseconds.
import { argumentsFor } from "./arguments.mjs";
import { NotJson, toJson } from "./result-json.mjs";
import { describe } from "./thrown.mjs";

/**
 * @typedef {object} Job
 * @property {string} main path of the bundle
 * @property {string} entrypoint
 * @property {string[] | null} params
 * @property {import("../protocol.ts").ParamTypes} [paramTypes]
 * @property {Record<string, unknown>} args
 * @property {{ params: string[] | null, maxBytes: number, check?: { url: string, token: string } }} [preprocessor] called first, with `args`; its result becomes the entrypoint's arguments
 */

/**
 * Runs one job to its end.
 * @param {Job} job
 * @param {(text: string) => unknown} print writes to the log
 * @param {(line: string) => unknown} sendLine writes a line before the answer
 * @returns {Promise<string>} the answer, one line
 */
export async function runJob(job, print, sendLine) {
  try {
    const module = await import(job.main);
    const entry = module[job.entrypoint];
    if (typeof entry !== "function") return failure(missingEntry(job.entrypoint, module));
    const { params, paramTypes } = job;
    const made = job.preprocessor ? await preprocess(module, job) : { args: job.args };
    if (made.error) return failure({ ...made.error, message: `The preprocessor failed: ${made.error.message}` });
    if (made.json) await sendLine(`{"args":${made.json}}\n`);
    const problem = job.preprocessor?.check && (await checkArguments(job.preprocessor.check, made.json));
    if (problem) return failure(problem);
    const result = await entry(...argumentsFor(entry, { entrypoint: job.entrypoint, params, paramTypes, args: made.args }));
    if (isStream(result)) {
      // The whole text is also the result, for readers that did not follow the stream.
      let whole = "";
      for await (const chunk of result) {
        const text = streamText(chunk);
        whole += text;
        await print(streamLines(text));
      }
      return success(whole);
    }
    return success(result);
  } catch (error) {
    return failureOf(error);
  }
}

/** Calls the preprocessor and returns the arguments and their JSON. A value that is not an object becomes `{ value }`. */
async function preprocess(module, { preprocessor, args }) {
  const entry = module.preprocessor;
  if (typeof entry !== "function") return { error: missingEntry("preprocessor", module) };
  try {
    const { params, maxBytes } = preprocessor;
    const made = toJson(
      await entry(...argumentsFor(entry, { entrypoint: "preprocessor", params, args: { ...args, event: withBody(args.event) } })),
    );
    const json = JSON.stringify(typeof made === "object" && made !== null && !Array.isArray(made) ? made : { value: made });
    if (new TextEncoder().encode(json).length > maxBytes)
      return { error: { name: "ResultTooLarge", message: `its result is larger than the limit of ${sizeText(maxBytes)}.` } };
    return { json, args: JSON.parse(json) };
  } catch (error) {
    return {
      error:
        error instanceof NotJson
          ? { name: "ResultError", message: `its result cannot be converted to JSON: ${error.message}` }
          : describe(error),
    };
  }
}

/** Requests to the service are repeated after these pauses, in milliseconds. */
const CHECK_PAUSES_MS = [300, 1000];

/** Lets the service check the preprocessor's arguments for the entrypoint. Returns the error if they are refused. */
async function checkArguments({ url, token }, json) {
  for (let attempt = 0; ; attempt++) {
    try {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const reply = await fetch(url, { method: "POST", headers, body: `{"args":${json}}` });
      if (reply.ok) {
        const { problem } = await reply.json();
        return problem === undefined ? undefined : { name: "ValidationError", message: problem };
      }
      await reply.body?.cancel();
      if (reply.status < 500 && reply.status !== 429) return notChecked(`status ${reply.status}`);
    } catch {
      // The service did not answer.
    }
    const pauseMs = CHECK_PAUSES_MS[attempt];
    if (pauseMs === undefined) return notChecked("no answer");
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

const notChecked = (why) => ({
  name: "ValidationError",
  message: `The service could not check the arguments that the preprocessor returned: ${why}.`,
});

/** Formats a limit like the supervisor's own errors. */
function sizeText(bytes) {
  return bytes >= 1_048_576 ? `${Math.round((bytes / 1_048_576) * 100) / 100} MB` : `${bytes} bytes`;
}

/** Adds the body to the event. The request omits a body that can be parsed from `raw_string`, to carry it only once. */
function withBody(event) {
  if (typeof event !== "object" || event === null || Object.hasOwn(event, "body")) return event;
  const { kind, raw_string, ...rest } = event;
  let body = raw_string;
  try {
    body = JSON.parse(raw_string);
  } catch {
    // Text that is not JSON is the body itself.
  }
  return { kind, body, raw_string, ...rest };
}

/** @param {unknown} error any value that the script or its runtime threw */
export function failureOf(error) {
  return failure(describe(error));
}

function failure(error) {
  return `${JSON.stringify({ ok: false, error })}\n`;
}

function success(result) {
  let json;
  try {
    json = JSON.stringify(toJson(result));
  } catch (error) {
    if (error instanceof NotJson)
      return failure({ name: "ResultError", message: `The result cannot be converted to JSON: ${error.message}` });
    if (error instanceof RangeError) {
      return failure({
        name: "ResultError",
        message: `The result cannot be converted to JSON: it is nested too deeply or too large (${error.message}).`,
      });
    }
    return failureOf(error); // A getter or a toJSON method of the script threw.
  }
  return `{"ok":true,"result":${json ?? "null"}}\n`;
}

function missingEntry(entrypoint, module) {
  const names = Object.keys(module);
  const has = names.length > 0 ? `It exports: ${names.join(", ")}.` : "It exports nothing.";
  return { name: "EntrypointError", message: `The script does not export a function '${entrypoint}'. ${has}` };
}

/** Whether a value is an async iterable or an iterator, such as a generator's. An array is not a stream. */
function isStream(value) {
  if (typeof value !== "object" || value === null) return false;
  return (
    typeof value[Symbol.asyncIterator] === "function" || (typeof value.next === "function" && typeof value[Symbol.iterator] === "function")
  );
}

function streamText(chunk) {
  if (typeof chunk === "string") return chunk;
  return chunk instanceof Uint8Array ? Buffer.from(chunk).toString() : JSON.stringify(toJson(chunk));
}

/** A newline is written `\n`. A literal backslash before an n is split across two lines, which readers join again. */
function streamLines(text) {
  const parts = text.split("\\n").map((part) => part.replaceAll("\n", "\\n"));
  return `WM_STREAM: ${parts.join("\\\nWM_STREAM: n")}\n`;
}
