import { type ApprovalEntry, approvalEntrySchema, CHAIN_START, entryHash } from "../../contract/approval-record.ts";

/** What happened, without its place in the chain. */
export type EntryContent = Omit<ApprovalEntry, "n" | "prev" | "hash">;

/** The entry that follows `previous`, the newest of the same run; `undefined`: it is the first. */
export function appendEntry(previous: ApprovalEntry | undefined, recorded: EntryContent): ApprovalEntry {
  if (previous && (previous.workspace !== recorded.workspace || previous.root !== recorded.root)) {
    throw new Error(`An entry of run ${recorded.root} cannot follow one of run ${previous.root}.`);
  }
  const entry = { ...storable(recorded), n: (previous?.n ?? 0) + 1, prev: previous?.hash ?? CHAIN_START };
  return approvalEntrySchema.parse({ ...entry, hash: entryHash(entry) });
}

/** As the table gives it back: without what is undefined, and without the halves of characters that UTF-8 cannot hold. */
function storable(recorded: EntryContent): EntryContent {
  const json = JSON.stringify(recorded, (_, value: unknown) => (typeof value === "string" ? value.toWellFormed() : value));
  return JSON.parse(json) as EntryContent;
}

/** The day (UTC) with whose heads an entry is signed. */
export const toUtcDay = (atMs: number) => new Date(atMs).toISOString().slice(0, 10);
