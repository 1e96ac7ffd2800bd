import type { ObjectTable } from "../../../aws/dynamodb/object-table.ts";
import { approvalEntrySchema } from "../../../contract/approval-record.ts";
import { appendEntry, type EntryContent, toUtcDay } from "../../../core/approvals/record.ts";
import { keys } from "../../../core/objects/keys.ts";
import { parseObject } from "../../../core/objects/parse-object.ts";
import { write } from "../../../core/objects/write.ts";
import type { TransactionPart } from "../../outbox/commit-parts.ts";

/**
 * Returns the parts of a gate's transaction that append an entry to the run's chain. If they are refused, another change of the same run
 * was first, and the caller must build them again.
 */
export async function buildEntryParts(
  { objects }: { objects: Pick<ObjectTable, "list"> },
  recorded: EntryContent,
): Promise<TransactionPart[]> {
  const { workspace, root } = recorded;
  const [newest] = await objects.list(keys.approvalRecord(workspace, root, 0).pk, { beginsWith: `${root}#`, newestFirst: true, limit: 1 });
  const previous = newest && parseObject(approvalEntrySchema, newest);
  const entry = appendEntry(previous, recorded);
  const day = toUtcDay(entry.atMs);
  // Neither item expires: the record outlives the job, and a day that was missed is signed later.
  const parts = [write.put({ ...keys.approvalRecord(workspace, root, entry.n), value: entry }, "absent")];
  if (!previous || toUtcDay(previous.atMs) !== day) parts.push(write.put(keys.grownChain(workspace, day, root)));
  return parts.map((part) => ({ write: part, refused: undefined }));
}
