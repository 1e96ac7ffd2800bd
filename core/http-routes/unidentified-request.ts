import { createHash } from "node:crypto";
import type { Payload } from "../../contract/payload.ts";
import type { AuthenticationMethod } from "../../contract/routes/triggers/http-fields.ts";

/** Headers that differ between two equal requests: those that the network adds, and the one with which a client continues a stream. */
const DIFFERING = /^(x-forwarded-.*|forwarded|via|cloudfront-.*|x-amz-cf-id|x-amzn-trace-id|traceparent|tracestate|last-event-id)$/;

/**
 * Returns whether a route does not identify its callers before its script runs. Such callers share idempotency keys only by equal requests: otherwise one could
 * stop the request of another, or read its answer.
 */
export const isUnidentified = (method: AuthenticationMethod): boolean => method === "none" || method === "custom_script";

/** Returns a digest of everything that a preprocessor may check: the body, the headers and the query. */
export function digestRequest({ bytes, headers, query }: Pick<Payload, "bytes" | "headers" | "query">): string {
  const headerEntries = sortEntries(headers).filter(([name]) => !DIFFERING.test(name));
  return createHash("sha256")
    .update(JSON.stringify([headerEntries, sortEntries(query)]))
    .update(bytes)
    .digest("hex");
}

const sortEntries = (fields: Readonly<Record<string, unknown>>) => Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
