import type http from "node:http";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";

/**
 * Size of the head that this server reads before it refuses it: more than the limit, so that the refusal can name the longest header.
 */
export const READ_HEAD_BYTES = 256 * 1024;

/** Returns the error for a head beyond API Gateway's limit. It names the longest header without its value, which may be a token. */
export function findLongHead({ url = "", rawHeaders }: Pick<http.IncomingMessage, "url" | "rawHeaders">): SvcError | undefined {
  const parts = [{ name: "the URL", bytes: url.length }];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? "";
    parts.push({ name: `the header ${name.slice(0, 100)}`, bytes: name.length + (rawHeaders[i + 1]?.length ?? 0) });
  }
  if (parts.reduce((sum, { bytes }) => sum + bytes, 0) <= limits.requestHeadBytes) return undefined;
  const longest = parts.reduce((most, part) => (part.bytes > most.bytes ? part : most));
  return new SvcError("request.tooLong", { limitBytes: limits.requestHeadBytes, longest: longest.name });
}

/** Headers of one connection only (RFC 9110 §7.6.1), and `expect`, which this server has answered itself. */
const hopByHop = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
]);

/** Name and value pairs as Node's raw headers, less those that end at this connection. */
export function endToEnd(rawHeaders: readonly string[], alsoDrop: readonly string[] = []): string[] {
  const drop = new Set([...hopByHop, ...alsoDrop]);
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() !== "connection") continue;
    for (const name of (rawHeaders[i + 1] ?? "").split(",")) drop.add(name.trim().toLowerCase());
  }
  const remaining: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? "";
    if (!drop.has(name.toLowerCase())) remaining.push(name, rawHeaders[i + 1] ?? "");
  }
  return remaining;
}
