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
