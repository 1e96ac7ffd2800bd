import { type Anchor, anchorHash, CHAIN_START } from "../../contract/approval-record.ts";

/** A day is signed so long after its end: what is being written when it ends is written then. */
const SETTLED_MS = 600_000;

/** The first day (UTC) that is not to be signed yet. */
export const findFirstOpenDay = (nowMs: number) => new Date(nowMs - SETTLED_MS).toISOString().slice(0, 10);

type Signed = Omit<Anchor, "mac" | "key">;

/** The anchor after `previous`, still without its signature. */
export function appendAnchor(previous: Anchor | undefined, said: Omit<Signed, "n" | "prev" | "hash">): Signed {
  const anchor = { ...said, n: (previous?.n ?? 0) + 1, prev: previous?.hash ?? CHAIN_START };
  return { ...anchor, hash: anchorHash(anchor) };
}
