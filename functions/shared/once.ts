import { createHash } from "node:crypto";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { Payload } from "../../contract/payload.ts";
import { keys } from "../../core/objects/keys.ts";
import type { Arguments } from "../../core/payload/arguments.ts";
import type { Once } from "../../services/jobs/record.ts";

const digest = (value: unknown) => createHash("sha256").update(JSON.stringify(value)).digest("hex");

/**
 * What a call with an `Idempotency-Key` is remembered by: `who` and what it runs, the key, and a fingerprint of all arguments.
 * Never derived from the body alone: two equal calls without a key are two calls. Throws `idempotency.key`.
 */
export function onceOf(headers: Payload["headers"], who: string[], { args, files }: Arguments): Once | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (!/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(key) || key.length > limits.idempotencyKeyChars) {
    throw new SvcError("idempotency.key", { limit: limits.idempotencyKeyChars });
  }
  const sent = files.map(({ argument, filename, bytes }) => [argument, filename, createHash("sha256").update(bytes).digest("hex")]);
  return { key: keys.idempotency(digest([...who, key])), fingerprint: digest([args, sent]) };
}
