import * as z from "zod";
import { defined } from "../../contract/defined.ts";
import type { TokenBadge } from "../../contract/routes/people/tokens.ts";
import { defineObject, sortableMs } from "../objects/define-object.ts";
import type { ObjectKey } from "../objects/write.ts";
import type { TokenRecord } from "./token.ts";

const DAY_MS = 24 * 3600_000;
/** The owner of a token is notified this long before it expires. */
const NOTICE_MS = 7 * DAY_MS;
const SOON_MS = 30 * DAY_MS;

/**
 * The entry of a token in the index by expiry. It contains everything that its events and mails need, because DynamoDB may have deleted the token
 * by then.
 */
export const tokenExpirySchema = z.object({
  hash: z.string(),
  prefix: z.string(),
  email: z.string(),
  label: z.string().optional(),
  workspace: z.string().optional(),
  expiresAtMs: z.number(),
  /** Whether the owner is notified of the expiry. Otherwise the token is only deleted. */
  announced: z.boolean(),
  /** The last workspace, in the order of their ids, that has received an event which one transaction could not send to all of them. */
  sent: z.object({ type: z.string(), until: z.string() }).optional(),
});
export type TokenExpiry = z.infer<typeof tokenExpirySchema>;

/**
 * Builds the index entry of a token; `undefined` for a token that does not expire. Sessions, and tokens that live for less than a week, are not
 * announced.
 */
export function toTokenExpiry(record: TokenRecord): TokenExpiry | undefined {
  const { hash, prefix, email, label, workspace, expiresAtMs, createdAtMs, session = false } = record;
  if (expiresAtMs === undefined) return undefined;
  const announced = !session && expiresAtMs - createdAtMs >= NOTICE_MS;
  return {
    hash,
    prefix,
    email,
    ...defined({ label, workspace }),
    expiresAtMs,
    announced,
  };
}

/** The number of partitions of the index. */
export const EXPIRY_SHARDS = 4;
const shardOf = (hash: string) => Number.parseInt(hash.slice(0, 2), 16) % EXPIRY_SHARDS;

/**
 * Returns the successive keys of a token's entry: one for the time a week before the expiry if the token is announced, and one for the expiry. An
 * entry under the key `end` has been announced.
 */
export function listExpiryKeys({ hash, expiresAtMs, announced }: Pick<TokenExpiry, "hash" | "expiresAtMs" | "announced">) {
  const at = (ms: number): ObjectKey => tokenExpiryObject.key(shardOf(hash), ms, hash);
  const end = at(expiresAtMs);
  const first = announced ? at(expiresAtMs - NOTICE_MS) : end;
  return { first, end, all: announced ? [first, end] : [end] };
}

/** Returns how soon a token expires: `critical` within 7 days, `soon` within 30 days. */
export function toTokenBadge(expiresAtMs: number | undefined, nowMs: number): TokenBadge {
  if (expiresAtMs === undefined) return "none";
  const leftMs = expiresAtMs - nowMs;
  if (leftMs <= 0) return "expired";
  if (leftMs <= NOTICE_MS) return "critical";
  return leftMs <= SOON_MS ? "soon" : "none";
}

/** A token that expires, sorted by the time at which it is announced or deleted. */
export const tokenExpiryObject = defineObject({
  name: "expiry of a token",
  partition: "TOKENEXPIRY",
  within: (shard: number) => String(shard),
  sort: (atMs: number, hash: string) => `${sortableMs(Math.max(atMs, 0), 16)}#${hash}`,
  belongsTo: "value",
  schema: tokenExpirySchema,
});

/** The progress of the index of expiries for tokens that earlier releases stored. */
export const tokenExpiryIndexObject = defineObject({
  name: "progress of the index of expiries",
  partition: "MIGRATIONS",
  sort: () => "token-expiry",
  belongsTo: "none",
  schema: z.object({
    /** The start of the first pass (epoch ms). */
    sinceMs: z.number(),
    pass: z.enum(["first", "second", "done"]),
    /** The user after whom the pass continues. */
    after: z.string(),
  }),
});
