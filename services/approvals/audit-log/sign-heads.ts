import pMap from "p-map";
import * as z from "zod";
import { type Anchor, CHAIN_START } from "../../../contract/approval-record.ts";
import { anchorObject, appendAnchor, findFirstOpenDay } from "../../../core/approvals/anchor.ts";
import { approvalEntryObject, grownChainObject } from "../../../core/approvals/record.ts";
import { getCursor, taskCursorObject } from "../../../core/jobs/periodic-task.ts";
import type { Collaborators, Uses } from "../../uses.ts";

/** The number of heads in one anchor: a DynamoDB item has at most 400 KB. */
const MAX_HEADS = 1000;
const READS_AT_ONCE = 16;

/** The day up to which this process has signed, by workspace: a tick that has nothing to sign costs no call. */
const signedUpTo = new Map<string, string>();
const TASK = "signHeads";

/**
 * Signs the heads of all chains that grew on past days, until `untilMs` (epoch ms), and returns the number of new anchors. Of two simultaneous
 * calls one succeeds: an anchor's number can be taken only once, and signed heads are not signed again. A call begins after the workspace at
 * which the previous one stopped, also in a new process, and signs at least one anchor.
 */
export async function signChainHeads(
  deps: Uses<"isolation" | "objects" | "anchorKey" | "nowMs">,
  workspaces: Iterable<string>,
  untilMs: number,
): Promise<number> {
  const day = findFirstOpenDay(deps.nowMs());
  const open = [...workspaces].filter((workspace) => (signedUpTo.get(workspace) ?? "") < day).sort();
  if (open.length === 0) return 0;
  const cursor = taskCursorObject.key(TASK);
  const found = await deps.objects.get(cursor);
  const from = open.findIndex((workspace) => workspace > (getCursor(cursorSchema, found)?.after ?? ""));
  let anchorCount = 0;
  for (const workspace of [...open.slice(Math.max(0, from)), ...open.slice(0, Math.max(0, from))]) {
    await deps.isolation.attempt(TASK, workspace, async () => {
      for (;;) {
        const signed = await signNext(deps, workspace, day);
        if (signed === "nothing") break;
        if (signed === "made") anchorCount += 1;
        if (Date.now() >= untilMs) return;
      }
      signedUpTo.set(workspace, day);
    });
    if (Date.now() < untilMs) continue;
    // A workspace with very many chains continues after all other workspaces.
    await deps.objects.put({ ...cursor, value: { after: workspace } });
    return anchorCount;
  }
  if (found) await deps.objects.deleteItem(cursor);
  return anchorCount;
}
const cursorSchema = z.object({ after: z.string() });

/** Signs the next runs after the last signed one, all of the same day. */
async function signNext(
  { objects, anchorKey, nowMs }: Uses<"objects" | "anchorKey" | "nowMs">,
  workspace: string,
  before: string,
): Promise<"made" | "late" | "nothing"> {
  const previous = await loadNewestAnchor(objects, workspace);
  const last = previous?.heads.at(-1);
  // A space sorts before every character with which the next run's id may continue.
  const after = previous && last ? `${previous.day}#${last.root} ` : "0";
  const grown = await objects.list(grownChainObject.partitionKey(workspace), { between: [after, before], limit: MAX_HEADS });
  const [day = ""] = grown[0]?.sk.split("#") ?? [];
  const roots = grown.flatMap(({ sk }) => (sk.startsWith(`${day}#`) ? sk.slice(day.length + 1) : []));
  if (roots.length === 0) return "nothing";
  const heads = await pMap(roots, (root) => loadHead(objects, workspace, root), { concurrency: READS_AT_ONCE });
  const anchor = appendAnchor(previous, { workspace, day, heads, atMs: nowMs() });
  const value: Anchor = { ...anchor, ...(await anchorKey.generateMac(anchor.hash)) };
  return (await objects.put({ ...anchorObject.key(workspace, anchor.n), value }, "absent")) ? "made" : "late";
}

async function loadNewestAnchor(objects: Collaborators["objects"], workspace: string): Promise<Anchor | undefined> {
  const [newest] = await objects.list(anchorObject.partitionKey(workspace), { newestFirst: true, limit: 1 });
  return newest && anchorObject.parse(newest);
}

/** Takes the number from the key, not from the entry, so that a chain with missing entries is signed as such and becomes visible. */
async function loadHead(objects: Collaborators["objects"], workspace: string, root: string): Promise<Anchor["heads"][number]> {
  const { pk } = approvalEntryObject.key(workspace, root, 0);
  const [newest] = await objects.list(pk, { beginsWith: `${root}#`, newestFirst: true, limit: 1 });
  const { hash } = (newest?.value ?? {}) as { hash?: unknown };
  return { root, n: Number(newest?.sk.split("#")[1] ?? 0), hash: typeof hash === "string" ? hash : CHAIN_START };
}
