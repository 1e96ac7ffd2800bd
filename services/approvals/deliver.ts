import type { Functions } from "../../aws/functions.ts";
import type { ObjectTable } from "../../aws/object-table.ts";
import { type GateNotice, gateNoticeSchema } from "../../core/approvals/notice.ts";
import { againAtMs, type NoticePart, nthOf, partsOf, type Queued } from "../../core/approvals/notice-delivery.ts";
import { keys, type ObjectKey } from "../../core/objects/keys.ts";
import { type ObjectWrite, write } from "../../core/objects/write.ts";
import { carryOut, type Delivering, queuedItem, subjectOf } from "./deliver-part.ts";
import { recipients } from "./recipients.ts";

/** Of one transaction, which takes a hundred items. */
const PARTS_AT_ONCE = 90;
/** Sent where the notice is read; more of them, and what waits for strangers, in calls of their own. */
const SENT_HERE = 20;
/** Of one such call: even if each waits as long as it may, they are done within the call's time. */
export const PARTS_PER_CALL = 20;

type Noticing = Delivering & { objects: ObjectTable; functions: Pick<Functions, "deliver"> };

/**
 * Sends a notice that has just been written, once, however often the stream brings it: what it is sent to is put into the queue `RETRIES`
 * together with the notice's mark. From then on each part goes its own way, and housekeeping finds those that got stuck. So a part is sent at
 * least once: who dies between sending it and writing that down has it sent again when its lease is over.
 */
export async function deliverNotice(delivering: Noticing, key: ObjectKey): Promise<void> {
  const { objects, functions, nowMs } = delivering;
  const stored = await objects.get(key);
  if (!stored || stored.next !== undefined) return;
  const notice = gateNoticeSchema.parse(stored.value);
  const subject = await subjectOf(delivering, notice.workspace, notice.id);
  if (!subject) return;
  const addresses = notice.channel === "email" ? await recipients(delivering, notice) : [];
  const parts = partsOf(notice, addresses);
  const now = nowMs();
  const here = parts.filter(({ channel }) => channel !== "webhook").slice(0, SENT_HERE);
  const items = parts.map((part) => (here.includes(part) ? begun(notice, part, now) : waiting(notice, part)));
  if (!(await enqueue(objects, key, items))) return;
  const mine = items.filter(({ attempts }) => attempts > 0);
  const others = items.filter(({ attempts }) => attempts === 0).map(({ sk }) => sk);
  await Promise.all(mine.map((item) => carryOut(delivering, item, subject)));
  for (let at = 0; at < others.length; at += PARTS_PER_CALL) await functions.deliver({ due: others.slice(at, at + PARTS_PER_CALL) });
}

interface Item extends Queued, ObjectKey {}

function begun(notice: GateNotice, part: NoticePart, nowMs: number): Item {
  return itemOf(notice, part, 1, againAtMs(1, nowMs));
}

/** Its key is the same whenever it is made: what was put and not marked is put again over itself. */
function waiting(notice: GateNotice, part: NoticePart): Item {
  return itemOf(notice, part, 0, notice.atMs);
}

function itemOf({ workspace, id }: GateNotice, part: NoticePart, attempts: number, atMs: number): Item {
  return { ...part, workspace, notice: id, attempts, ...keys.retry(atMs, workspace, id, nthOf(part)) };
}

/** False where somebody else has done it. The mark comes last: without it all is done once more. */
async function enqueue(objects: ObjectTable, notice: ObjectKey, items: Item[]): Promise<boolean> {
  // What is begun stands first, and is marked in one go: nobody can have taken it up before.
  const puts = items.toSorted((a, b) => b.attempts - a.attempts).map((item): ObjectWrite => write.put(queuedItem(item, item)));
  for (let at = PARTS_AT_ONCE; at < puts.length; at += PARTS_AT_ONCE) await objects.transact(puts.slice(at, at + PARTS_AT_ONCE));
  const marked = write.update({ ...notice, next: "queued" }, "childless");
  return (await objects.transact([marked, ...puts.slice(0, PARTS_AT_ONCE)])) === undefined;
}
