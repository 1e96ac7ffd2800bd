import { toWellFormedJson } from "../../contract/json/well-formed-json.ts";
import { addMiddleware, type ClientWithMiddleware } from "./add-middleware.ts";

interface Serialized {
  request: { body?: unknown };
}

/**
 * Makes a client send U+FFFD in place of each half of a surrogate pair. A text that was cut at its longest length may end in one, and AWS
 * refuses the request with an error that looks temporary, so a run, a delivery or a periodic task would retry it endlessly.
 */
export function sendWellFormed<C extends ClientWithMiddleware>(client: C): C {
  const correct = (next: (args: Serialized) => Promise<unknown>) => (args: Serialized) => {
    args.request.body = correctBody(args.request.body);
    return next(args);
  };
  // Before the step that states the length of the body.
  addMiddleware(client, { name: "svcSendWellFormed", step: "build", priority: "high" }, correct);
  return client;
}

/** The beginning of each half in JSON. Whole pairs are no escapes there. */
const HALF = "\\ud";

/** Some clients serialize to text, and some to bytes. Most bodies contain no half, and are only searched. */
function correctBody(body: unknown): unknown {
  if (typeof body === "string") return body.includes(HALF) ? toWellFormedJson(body) : body;
  if (!(body instanceof Uint8Array)) return body;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return bytes.includes(HALF) ? Buffer.from(toWellFormedJson(bytes.toString())) : body;
}
