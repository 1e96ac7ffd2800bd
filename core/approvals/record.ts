import { type ApprovalEntry, approvalEntrySchema, CHAIN_START, computeEntryHash } from "../../contract/approval-record.ts";
import { parseExactJson } from "../../contract/json/exact-json.ts";
import { defineObject, inWorkspace, sortableNumber, withoutValue } from "../objects/define-object.ts";

/** The content of an entry without its position in the chain. */
export type EntryContent = Omit<ApprovalEntry, "n" | "prev" | "hash">;

/** Returns the entry that follows `previous`, which is the newest entry of the same run or `undefined` for a new chain. */
export function appendEntry(previous: ApprovalEntry | undefined, recorded: EntryContent): ApprovalEntry {
  if (previous && (previous.workspace !== recorded.workspace || previous.root !== recorded.root)) {
    throw new Error(`An entry of run ${recorded.root} cannot follow one of run ${previous.root}.`);
  }
  const entry = { ...storable(recorded), n: (previous?.n ?? 0) + 1, prev: previous?.hash ?? CHAIN_START };
  return approvalEntrySchema.parse({ ...entry, hash: computeEntryHash(entry) });
}

/**
 * Returns the entry in its stored form: without undefined fields and without lone surrogates, which UTF-8 cannot represent.
 */
function storable(recorded: EntryContent): EntryContent {
  const json = JSON.stringify(recorded, (_, value: unknown) => (typeof value === "string" ? value.toWellFormed() : value));
  return parseExactJson(json) as EntryContent;
}

/** Returns the day (UTC, `2026-11-22`) with whose heads an entry is signed. */
export const toUtcDay = (atMs: number) => new Date(atMs).toISOString().slice(0, 10);

/** The decisions of a run, in order. */
export const approvalEntryObject = defineObject({
  name: "entry of the approval record",
  partition: "CHAIN",
  ...inWorkspace,
  sort: (root: string, n: number) => `${root}#${sortableNumber(n, 6)}`,
  schema: approvalEntrySchema,
});

/** Marks that a run got new entries on a day (UTC), until the heads of that day are signed. */
export const grownChainObject = defineObject({
  name: "run with new entries",
  partition: "GREW",
  ...inWorkspace,
  sort: (day: string, root: string) => `${day}#${root}`,
  ...withoutValue,
});
