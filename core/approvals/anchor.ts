import { type Anchor, anchorSchema, CHAIN_START, computeAnchorHash } from "../../contract/approval-record.ts";
import { defineObject, inWorkspace, sortableNumber } from "../objects/define-object.ts";

/** A day is signed ten minutes after its end, so that entries written at the end of the day are included. */
const SETTLED_MS = 600_000;

/** Returns the first day (UTC, `2026-11-22`) that must not be signed yet. */
export const findFirstOpenDay = (nowMs: number) => new Date(nowMs - SETTLED_MS).toISOString().slice(0, 10);

type Signed = Omit<Anchor, "mac" | "key">;

/** Returns the anchor that follows `previous`, without its signature. */
export function appendAnchor(previous: Anchor | undefined, content: Omit<Signed, "n" | "prev" | "hash">): Signed {
  const anchor = { ...content, n: (previous?.n ?? 0) + 1, prev: previous?.hash ?? CHAIN_START };
  return { ...anchor, hash: computeAnchorHash(anchor) };
}

/** Signed heads of chains, in order. */
export const anchorObject = defineObject({
  name: "signed heads",
  partition: "ANCHOR",
  ...inWorkspace,
  sort: (n: number) => sortableNumber(n, 8),
  schema: anchorSchema,
});
