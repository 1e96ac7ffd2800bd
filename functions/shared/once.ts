import { createHash } from "node:crypto";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { Payload } from "../../contract/payload.ts";
import { keys } from "../../core/objects/keys.ts";
import type { Arguments } from "../../core/payload/arguments.ts";
import type { IdempotencyKey } from "../../services/jobs/queue/record.ts";

const digest = (value: unknown) => createHash("sha256").update(JSON.stringify(value)).digest("hex");

function headerOf(headers: Payload["headers"], name: string, header: string): string | undefined {
  const value = headers[name];
  if (value === undefined) return undefined;
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && value.length <= limits.idempotencyKeyChars) return value;
  throw new SvcError("idempotency.key", { limit: limits.idempotencyKeyChars, header });
}

/**
 * What a call with an `Idempotency-Key` is remembered by: `who` and what it runs, the key, and a fingerprint of all arguments.
 * Never derived from the body alone: two equal calls without a key are two calls. Throws `idempotency.key`.
 */
export function idempotencyKeyFrom(
  headers: Payload["headers"],
  who: string[],
  { args, files }: Pick<Arguments, "args" | "files">,
): IdempotencyKey | undefined {
  const key = headerOf(headers, "idempotency-key", "An Idempotency-Key");
  if (key === undefined) return undefined;
  const sent = files.map(({ argument, filename, bytes }) => [argument, filename, createHash("sha256").update(bytes).digest("hex")]);
  return { key: keys.idempotency(digest([...who, key])), fingerprint: digest([args, sent]), keptMs: limits.idempotencyMs };
}

/**
 * The same for a webhook that says which message it is (Standard Webhooks). What is sent along is not compared: timestamp and signature are
 * new in each attempt to deliver the same message. Throws `idempotency.key`.
 */
export function webhookIdKeyFrom(headers: Payload["headers"], who: string[]): IdempotencyKey | undefined {
  const id = headerOf(headers, "webhook-id", "A webhook-id");
  if (id === undefined) return undefined;
  return { key: keys.idempotency(digest(["webhook-id", ...who, id])), fingerprint: "webhook-id", keptMs: limits.webhookIdMs };
}
