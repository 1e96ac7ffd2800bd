import { createHash } from "node:crypto";
import { SvcError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import type { Payload } from "../../../contract/payload.ts";
import { repeatedCallObject } from "../../../core/jobs/repeated-call.ts";
import type { Arguments } from "../../../core/payload/arguments.ts";
import type { IdempotencyKey } from "./create-job-record.ts";

const digestOf = (value: unknown) => createHash("sha256").update(JSON.stringify(value)).digest("hex");

function readKeyHeader(headers: Payload["headers"], name: string, label: string): string | undefined {
  const value = headers[name];
  if (value === undefined) return undefined;
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && value.length <= limits.idempotencyKeyChars) return value;
  throw new SvcError("idempotency.key", { limit: limits.idempotencyKeyChars, header: label });
}

/**
 * Derives the key of a call with the header `Idempotency-Key` from the caller and the target (`scope`), the header, and a fingerprint of all
 * arguments. It is never derived from the body alone: two equal calls without a key are two calls. Throws `idempotency.key`.
 */
export function idempotencyKeyFrom(headers: Payload["headers"], scope: string[], callArguments: SentArguments): IdempotencyKey | undefined {
  const key = readKeyHeader(headers, "idempotency-key", "An Idempotency-Key");
  if (key === undefined) return undefined;
  return {
    key: repeatedCallObject.key(digestOf([...scope, key])),
    fingerprint: digestArguments(callArguments),
    retentionMs: limits.idempotencyMs,
  };
}

/** The arguments and files of a call, by which a repeated call is recognised. */
export type SentArguments = Pick<Arguments, "args" | "files">;

/** Returns a digest that two calls share if their arguments are equal. */
export function digestArguments({ args, files }: SentArguments): string {
  const fileDigests = files.map(({ argument, filename, bytes }) => [argument, filename, createHash("sha256").update(bytes).digest("hex")]);
  return digestOf([args, fileDigests]);
}

/**
 * Derives the key of a call: from `Idempotency-Key`, from the field that identifies its delivery, or from `webhook-id` for a script that handles each
 * message once. Throws `idempotency.key`.
 */
export function findIdempotencyKey(
  headers: Payload["headers"],
  scope: string[],
  callArguments: SentArguments,
  { onceByWebhookId, delivery }: KeyRules,
): IdempotencyKey | undefined {
  return (
    idempotencyKeyFrom(headers, scope, callArguments) ??
    deliveryKeyFrom(scope, delivery) ??
    (onceByWebhookId ? webhookIdKeyFrom(headers, scope) : undefined)
  );
}

export interface KeyRules {
  onceByWebhookId: boolean;
  /** The value that identifies the delivery, and the time for which it is recognised, in seconds. */
  delivery?: { id: string | undefined; ttlS: number | undefined } | undefined;
}

/** The arguments are not compared, because a sender may repeat an event with another time or count of attempts. */
function deliveryKeyFrom(scope: string[], { id, ttlS }: NonNullable<KeyRules["delivery"]> = { id: undefined, ttlS: undefined }) {
  if (id === undefined) return undefined;
  const retentionMs = ttlS === undefined ? limits.webhookIdMs : ttlS * 1000;
  return { key: repeatedCallObject.key(digestOf(["delivery", ...scope, id])), fingerprint: "delivery", retentionMs };
}

/** Derives the key of a request with a signature. The same request may not start a second job within `retentionMs`. */
export function signatureKeyFrom(scope: string[], id: string, retentionMs: number): IdempotencyKey {
  return { key: repeatedCallObject.key(digestOf(["signature", ...scope, id])), fingerprint: "signature", retentionMs };
}

/**
 * Derives the key of a webhook that names its message (Standard Webhooks, header `webhook-id`). The arguments are not compared: timestamp and
 * signature differ between two attempts to deliver the same message. Throws `idempotency.key`.
 */
function webhookIdKeyFrom(headers: Payload["headers"], scope: string[]): IdempotencyKey | undefined {
  const id = readKeyHeader(headers, "webhook-id", "A webhook-id");
  if (id === undefined) return undefined;
  return {
    key: repeatedCallObject.key(digestOf(["webhook-id", ...scope, id])),
    fingerprint: "webhook-id",
    retentionMs: limits.webhookIdMs,
  };
}
