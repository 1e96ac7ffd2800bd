import { appendEntry, approvalEntryObject, type EntryContent, grownChainObject, toUtcDay } from "../../../core/approvals/record.ts";
import { write } from "../../../core/objects/write.ts";
import type { TransactionPart } from "../../outbox/commit-parts.ts";
import type { Uses } from "../../uses.ts";

/**
 * Returns the parts of a gate's transaction that append an entry to the run's chain. If they are refused, another change of the same run
 * was first, and the caller must build them again.
 */
export async function buildEntryParts({ objects }: Uses<"objects">, recorded: EntryContent): Promise<TransactionPart[]> {
  const { workspace, root } = recorded;
  const [newest] = await objects.list(approvalEntryObject.partitionKey(workspace), { beginsWith: `${root}#`, newestFirst: true, limit: 1 });
  const previous = newest && approvalEntryObject.parse(newest);
  const entry = appendEntry(previous, recorded);
  const day = toUtcDay(entry.atMs);
  // Neither item expires: the record outlives the job, and a day that was missed is signed later.
  const parts = [write.put({ ...approvalEntryObject.key(workspace, root, entry.n), value: entry }, "absent")];
  if (!previous || toUtcDay(previous.atMs) !== day) parts.push(write.put(grownChainObject.key(workspace, day, root)));
  return parts.map((part) => ({ write: part, refused: undefined }));
}
