import { randomUUID } from "node:crypto";
import { defined } from "../../contract/defined.ts";
import { limits } from "../../contract/limits.ts";
import { readStoredBody } from "../../core/objects/stored-body.ts";
import { type StoredObject, unchangedSince, write } from "../../core/objects/write.ts";
import { searchEntryObject, searchIndexObject, shardOf } from "../../core/search/index-items.ts";
import { type SearchedObject, searchedKinds } from "../../core/search/searched-kinds.ts";
import type { Uses } from "../uses.ts";
import { buildIndexParts } from "./index-parts.ts";

/** The number of items of one page of objects. */
const PAGE_ITEMS = 100;
/** An instance of a function of the earlier release may save objects without the index for this time: an invocation lasts at most 15 minutes. */
const OLD_RELEASE_MS = 20 * 60_000;

/**
 * Compares the objects of a workspace with its index, which lacks those that an earlier release stored. Each call compares a part. After the first
 * pass, a second one finds what functions of the earlier release stored during the first. Returns whether the first pass is complete.
 */
export async function continueIndex(deps: Uses<"objects" | "storage" | "nowMs">, workspace: string): Promise<boolean> {
  const { objects, nowMs } = deps;
  const key = searchIndexObject.key(workspace);
  const stored = await objects.get(key);
  const state = stored ? searchIndexObject.parse(stored) : { startedAtMs: nowMs(), passes: 0 };
  const isSecondDue = state.passes === 1 && nowMs() >= state.startedAtMs + OLD_RELEASE_MS;
  if (state.passes > 1 || (state.passes === 1 && !isSecondDue)) return true;
  const next = await comparePart(deps, workspace, state.place);
  const { startedAtMs, passes } = state;
  const value = next ? { startedAtMs, passes, place: next } : { startedAtMs, passes: passes + 1 };
  // If another search was first, its place counts. The parts that both have compared are equal.
  await objects.put({ ...key, value, version: randomUUID() }, stored ? unchangedSince(stored) : "absent");
  return value.passes > 0;
}

interface IndexPlace {
  kind: string;
  before?: string | undefined;
}

/** Compares some hundred objects, beginning at a place, and returns the place at which the next call continues, or `undefined` at the end. */
async function comparePart(
  deps: Uses<"objects" | "storage">,
  workspace: string,
  from: IndexPlace | undefined,
): Promise<{ kind: string; before?: string } | undefined> {
  const kinds = [...searchedKinds.keys()];
  let at = Math.max(kinds.indexOf(from?.kind ?? ""), 0);
  let before = from?.before;
  for (let compared = 0; compared < limits.searchCompared; compared += PAGE_ITEMS) {
    const kind = kinds[at];
    if (kind === undefined) return undefined;
    before = await comparePage(deps, workspace, { kind, before });
    if (before === undefined) at += 1;
  }
  const kind = kinds[at];
  return kind === undefined ? undefined : { kind, ...defined({ before }) };
}

/** Adds the objects of a page of a list to the index that are not in it. Returns the beginning of the next page. */
async function comparePage(
  deps: Uses<"objects" | "storage">,
  workspace: string,
  { kind, before }: IndexPlace,
): Promise<string | undefined> {
  const facts = searchedKinds.get(kind);
  if (!facts) return undefined;
  const page = await deps.objects.listPage(facts.partitionKey(workspace), { before, limit: PAGE_ITEMS });
  const found = page.objects.flatMap((stored) => {
    const object = facts.read(stored);
    return object ? [{ stored, object }] : [];
  });
  const keys = found.map(({ object: { path } }) => searchEntryObject.key(workspace, shardOf(kind, path), kind, path));
  const entries = await deps.objects.batchGet(keys, { consistent: true });
  await Promise.all(found.map(({ stored, object }, index) => entries[index] ?? addObject(deps, workspace, { kind, stored, object })));
  return page.before;
}

/** Adds an object to the index, unless its next writer was first, who has done so. */
async function addObject(
  { objects, storage }: Uses<"objects" | "storage">,
  workspace: string,
  { kind, stored, object }: { kind: string; stored: StoredObject; object: SearchedObject },
): Promise<void> {
  const { path, version, ...text } = object;
  const facts = searchedKinds.get(kind)?.source;
  const body = facts && version !== undefined ? await objects.get(facts.key(workspace, version)) : undefined;
  const source =
    facts && version !== undefined && body
      ? { source: { version, text: facts.text(await readStoredBody(body, (s3Key) => storage.getObjectText(s3Key))) } }
      : {};
  const parts = buildIndexParts({ workspace, kind, after: { path, text, ...source } });
  // The entry of a script in its list has no version after a save, and its head keeps its version when it is archived.
  const head = facts && version !== undefined ? [write.check(facts.headKey(workspace, path), { version })] : [];
  await objects.transactWrite([...parts.map((part) => part.write), write.check(stored, unchangedSince(stored)), ...head]);
}
