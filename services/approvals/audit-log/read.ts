import pMap from "p-map";
import {
  type Anchor,
  type ApprovalEntry,
  anchorSchema,
  approvalEntrySchema,
  findLostHead,
  verifyAnchors,
  verifyChain,
} from "../../../contract/approval-record.ts";
import type { ApprovalAuditPage, ApprovalAuditQuery, VerifiedRecord } from "../../../contract/routes/approvals/approval-records.ts";
import { toIsoTime } from "../../../contract/utilities/iso-time.ts";
import { anchorObject } from "../../../core/approvals/anchor.ts";
import { approvalEntryObject, grownChainObject, toUtcDay } from "../../../core/approvals/record.ts";
import type { StoredObject } from "../../../core/objects/write.ts";
import type { Collaborators, Uses } from "../../uses.ts";

const PER_PAGE = 1000;
/** A reply has at most 6 MB. */
const PAGE_CHARS = 4_000_000;
const ITEMS_PER_READ = 1000;
const AT_ONCE = 16;
/** Limits of one call. Its reply contains the position for the next call. */
const ENTRIES_PER_CALL = 20_000;
const CHAINS_PER_CALL = 5_000;
const ANCHORS_PER_CALL = 20;

/** Lists a workspace's entries, the newest first. Unreadable entries are omitted; `verifyAuditLog` reports them. */
export async function listAuditLog({ objects }: Uses<"objects">, workspace: string, query: ApprovalAuditQuery): Promise<ApprovalAuditPage> {
  const { run, gate, per_page = PER_PAGE } = query;
  const beforeMs = query.before === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(query.before);
  const afterMs = query.after === undefined ? -1 : Date.parse(query.after);
  const fits = ({ gate: of, atMs }: ApprovalEntry) => (gate === undefined || of === gate) && atMs <= beforeMs && atMs > afterMs;
  const entries: ApprovalEntry[] = [];
  let chars = 0;
  let chains = 0;
  const days: Iterable<Day> | AsyncIterable<Day> = run ? [{ roots: [run] }] : listDays(objects, workspace, query);
  for await (const { day, roots } of days) {
    chains += roots.length;
    const found = await loadReadableEntries(objects, workspace, roots);
    const ofDay = found.filter((entry) => fits(entry) && (day === undefined || toUtcDay(entry.atMs) === day));
    for (const entry of ofDay.sort((a, b) => b.atMs - a.atMs || b.n - a.n)) {
      const last = entries.at(-1);
      // Entries of one millisecond stay on one page, because the next page begins before that time.
      if (last && last.atMs !== entry.atMs && (entries.length >= per_page || chars > PAGE_CHARS)) {
        return { entries, before: toIsoTime(last.atMs - 1) };
      }
      entries.push(entry);
      chars += JSON.stringify(entry).length;
    }
    if (day !== undefined && chains >= CHAINS_PER_CALL) return { entries, before: toIsoTime(Date.parse(`${day}T00:00:00Z`) - 1) };
  }
  return { entries };
}

/** The runs whose chains grew on a day, or on any day if `day` is absent. */
interface Day {
  day?: string;
  roots: string[];
}

/** Yields the days on which chains grew, the newest first. */
async function* listDays(objects: Collaborators["objects"], workspace: string, { before, after }: ApprovalAuditQuery): AsyncGenerator<Day> {
  const { pk } = grownChainObject.key(workspace, "", "");
  const from = after === undefined ? "0" : toUtcDay(Date.parse(after));
  let to = before === undefined ? "~" : `${toUtcDay(Date.parse(before))}~`;
  let day: Required<Day> | undefined;
  for (;;) {
    const found = await objects.list(pk, { between: [from, to], newestFirst: true, limit: ITEMS_PER_READ });
    for (const { sk } of found) {
      if (sk === to) continue;
      const [name = "", root = ""] = sk.split("#");
      if (day && day.day !== name) {
        yield day;
        day = undefined;
      }
      day ??= { day: name, roots: [] };
      day.roots.push(root);
    }
    const last = found.at(-1)?.sk;
    if (last === undefined || last === to) break;
    to = last;
  }
  if (day) yield day;
}

async function loadReadableEntries(
  objects: Collaborators["objects"],
  workspace: string,
  roots: readonly string[],
): Promise<ApprovalEntry[]> {
  const chains = await pMap(roots, (root) => loadChainItems(objects, workspace, root), { concurrency: AT_ONCE });
  return chains.flat().flatMap(({ value }) => approvalEntrySchema.safeParse(value).data ?? []);
}

const loadChainItems = (objects: Collaborators["objects"], workspace: string, root: string) =>
  objects.list(approvalEntryObject.partitionKey(workspace), { beginsWith: `${root}#` });

/** Verifies one run's chain, or all chains from `from` on, and the signed heads that belong to them. */
export async function verifyAuditLog(
  { objects, anchorKey }: Uses<"objects" | "anchorKey">,
  workspace: string,
  { run, from }: { run?: string | undefined; from?: string | undefined },
): Promise<VerifiedRecord> {
  const anchored = await verifyAnchorItems({ objects, anchorKey }, workspace, run);
  const done: VerifiedRecord = { ok: true, runs: 0, entries: 0, faults: from ? [] : anchored.faults, anchors: anchored.anchors };
  const { heads } = anchored;
  const see = (root: string, items: readonly StoredObject[]) => {
    done.runs += 1;
    done.entries += items.length;
    const fault = findChainFault(workspace, root, items, heads.get(root) ?? []);
    if (fault) done.faults.push({ run: root, ...fault });
    heads.delete(root);
  };
  if (run) {
    const items = await loadChainItems(objects, workspace, run);
    if (items.length > 0 || heads.has(run)) see(run, items);
  } else {
    for (const root of heads.keys()) if (from && root < from) heads.delete(root);
    for await (const { root, items } of listChains(objects, workspace, from ?? "")) {
      if (done.entries >= ENTRIES_PER_CALL) {
        done.next = root;
        break;
      }
      see(root, items);
    }
    // Chains that an anchor names but that no longer have items.
    for (const root of heads.keys()) if (done.next === undefined || root < done.next) see(root, []);
  }
  return { ...done, ok: done.faults.length === 0 };
}

function findChainFault(workspace: string, root: string, items: readonly StoredObject[], heads: Anchor["heads"]) {
  const entries: ApprovalEntry[] = [];
  for (const { value } of items) {
    const { data } = approvalEntrySchema.safeParse(value);
    if (!data) break;
    entries.push(data);
  }
  const fault = verifyChain(entries, { workspace, root });
  if (fault) return fault;
  if (entries.length < items.length) return { n: entries.length + 1, why: "changed" as const };
  const lost = findLostHead(heads, entries);
  return lost && { n: lost.n, why: "head" as const };
}

/** Yields the chains in the order of their runs' ids. */
async function* listChains(objects: Collaborators["objects"], workspace: string, from: string) {
  const { pk } = approvalEntryObject.key(workspace, "", 0);
  let after = from === "" ? "0" : from;
  let chain: { root: string; items: StoredObject[] } | undefined;
  for (;;) {
    const found = await objects.list(pk, { between: [after, "~"], limit: ITEMS_PER_READ });
    for (const item of found) {
      const [root = ""] = item.sk.split("#");
      if (chain && chain.root !== root) {
        yield chain;
        chain = undefined;
      }
      chain ??= { root, items: [] };
      chain.items.push(item);
    }
    const last = found.at(-1)?.sk;
    if (last === undefined) break;
    after = `${last} `;
  }
  if (chain) yield chain;
}

async function verifyAnchorItems({ objects, anchorKey }: Uses<"objects" | "anchorKey">, workspace: string, run: string | undefined) {
  const items = await objects.list(anchorObject.partitionKey(workspace));
  const anchors: Anchor[] = [];
  for (const { value } of items) {
    const { data } = anchorSchema.safeParse(value);
    if (!data) break;
    anchors.push(data);
  }
  const faults: VerifiedRecord["faults"] = [];
  const fault =
    verifyAnchors(anchors, workspace) ?? (anchors.length < items.length ? { n: anchors.length + 1, why: "changed" as const } : undefined);
  if (fault) faults.push(fault);
  const request = run ? anchors.filter(({ heads }) => heads.some(({ root }) => root === run)) : anchors;
  const validity = await verifySignatures(anchorKey, request);
  const bad = request.find((_, at) => !validity[at]);
  if (bad && !fault) faults.push({ n: bad.n, why: "signature" });
  const heads = new Map<string, Anchor["heads"]>();
  for (const head of request.flatMap((anchor) => anchor.heads)) {
    if (run && head.root !== run) continue;
    heads.set(head.root, [...(heads.get(head.root) ?? []), head]);
  }
  const last = request.at(-1);
  const summary = { count: request.length, signatures: validity.filter(Boolean).length, ...(last ? { signed_to: last.day } : {}) };
  return { heads, faults, anchors: summary };
}

const verifySignatures = (anchorKey: Collaborators["anchorKey"], anchors: readonly Anchor[]): Promise<boolean[]> =>
  pMap(anchors, ({ hash, mac }) => anchorKey.verifyMac(hash, mac), { concurrency: AT_ONCE });

/** Lists anchors, the oldest first. Unreadable anchors are omitted; the numbers of the following ones reveal the gap. */
export async function listAnchors({ objects, anchorKey }: Uses<"objects" | "anchorKey">, workspace: string, from = 1) {
  const { pk, sk } = anchorObject.key(workspace, from);
  const items = await objects.list(pk, { between: [sk, "~"], limit: ANCHORS_PER_CALL });
  const anchors = items.flatMap(({ value }) => anchorSchema.safeParse(value).data ?? []);
  const validity = await verifySignatures(anchorKey, anchors);
  const last = items.at(-1);
  return {
    anchors: anchors.map((anchor, at) => ({ ...anchor, signature: validity[at] ? ("valid" as const) : ("invalid" as const) })),
    ...(last && items.length === ANCHORS_PER_CALL ? { next: Number(last.sk) + 1 } : {}),
  };
}
