import type { AccessRule } from "../../contract/access/access-rule.ts";
import { limits } from "../../contract/limits.ts";
import type { SearchKind, SearchQuery, SearchResultJson } from "../../contract/routes/console/search.ts";
import { type TriggerKind, triggerKinds } from "../../contract/routes/triggers/trigger-kind.ts";
import { readStoredBody } from "../../core/objects/stored-body.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { domainsOfKinds } from "../../core/permissions/object-kinds.ts";
import { parseReadable } from "../../core/records/record-format.ts";
import { SEARCH_SHARDS, type SearchText, searchEntryObject, searchSourceObject, toPlace } from "../../core/search/index-items.ts";
import { type Match, matchSource, matchWords, rankOf, splitWords } from "../../core/search/match.ts";
import { searchedKinds } from "../../core/search/searched-kinds.ts";
import { createSignatureTest, PART_CHARS } from "../../core/search/signature.ts";
import type { ObjectStore } from "../../ports/object-store.ts";
import { createPathFilter } from "../identity/permit.ts";
import type { Uses } from "../uses.ts";
import { continueIndex } from "./continue-index.ts";

interface Place {
  kind: string;
  path: string;
}
type Entry = Place & SearchText;
type Source = Place & { version: string; signature: string };
type Found = Entry & { matches: Match[] };

/** Results of a search. `isComplete`: false if the index is being built, or if more sources may contain the query than one search reads. */
interface SearchResult {
  items: SearchResultJson[];
  isComplete: boolean;
}

/**
 * Searches the objects that the caller may read, by the index of the workspace: one read of each of its partitions, and the sources that may contain
 * the query. The best matches are first: those in the path, then in the summary, the description and the source. A workspace whose objects are older
 * than its index gets it by its first searches.
 */
export async function searchObjects(
  deps: Uses<"objects" | "storage" | "nowMs">,
  caller: WorkspaceCaller,
  query: SearchQuery,
): Promise<SearchResult> {
  const isIndexed = await continueIndex(deps, caller.workspace);
  const kinds = listKinds(query.kinds);
  const isReadable = createReadFilter(caller);
  const { q, page = 1 } = query;
  const [entries, sources] = await Promise.all([
    loadItems(deps.objects, caller.workspace, kinds, readEntries),
    q === undefined || q.length < PART_CHARS ? [] : loadItems(deps.objects, caller.workspace, kinds.filter(hasSource), readSources),
  ]);
  const readable = entries.filter(isReadable);
  const inSources =
    q === undefined ? { isComplete: true, matches: new Map() } : await searchSources(deps, caller.workspace, sources.filter(isReadable), q);
  const found = q === undefined ? readable.map((entry) => ({ ...entry, matches: [] })) : match(readable, q, inSources.matches);
  found.sort((a, b) => rankOf(a.matches) - rankOf(b.matches) || compare(a.path, b.path) || compare(a.kind, b.kind));
  const size = Math.min(query.per_page ?? limits.perPage, q === undefined ? limits.searchListed : limits.maxPerPage);
  const start = (Math.max(page, 1) - 1) * size;
  return { items: found.slice(start, start + size).map(toJson), isComplete: isIndexed && inSources.isComplete };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const hasSource = (kind: string): boolean => searchedKinds.get(kind)?.source !== undefined;
const nameOf = ({ kind, path }: Place): string => `${kind}#${path}`;

/** Returns the kinds in the index that a query names. */
function listKinds(requested: readonly SearchKind[] | undefined): string[] {
  const isRequested = (kind: string) => requested?.some((name) => name === (isTrigger(kind) ? "trigger" : kind)) ?? true;
  return [...searchedKinds.keys()].filter(isRequested);
}

const isTrigger = (kind: string): boolean => kind.endsWith("_trigger");

function toJson({ kind, path, summary, matches }: Found): SearchResultJson {
  const triggerKind = triggerKinds.find((name) => kind === `${name}_trigger`);
  const named: { kind: SearchKind; trigger_kind?: TriggerKind } =
    triggerKind === undefined ? { kind: kind as SearchKind } : { kind: "trigger", trigger_kind: triggerKind };
  return { ...named, path, summary, matches };
}

/** Checks the right, and the scopes of the token, for the kind of each object. */
function createReadFilter(caller: WorkspaceCaller): (place: Place) => boolean {
  const filters = new Map(
    [...searchedKinds.keys()].flatMap((kind) => {
      const domain = domainsOfKinds[kind];
      if (domain === undefined) return [];
      const access: AccessRule = { domain, verb: "read", need: "read", target: "list" };
      return [[kind, createPathFilter(caller, access)] as const];
    }),
  );
  return ({ kind, path }) => filters.get(kind)?.(path) ?? false;
}

/** Reads the items of the index, with consistent reads: a search finds what was saved before it. One kind is a part of each partition. */
async function loadItems<T extends Place>(
  objects: ObjectStore,
  workspace: string,
  kinds: readonly string[],
  { partitionKey, read }: { partitionKey: (workspace: string, shard: number) => string; read: (stored: StoredObject) => T },
): Promise<T[]> {
  if (kinds.length === 0) return [];
  const range = kinds.length === 1 ? { beginsWith: `${kinds[0]}#` } : {};
  const shards = Array.from({ length: SEARCH_SHARDS }, (_, shard) => objects.list(partitionKey(workspace, shard), range));
  const records = (await Promise.all(shards)).flat().map((object) => ({ parent: object.pk, ref: object.sk, object }));
  return parseReadable(records, ({ object }) => read(object)).flatMap(([, item]) => (kinds.includes(item.kind) ? [item] : []));
}

const readEntries = {
  partitionKey: searchEntryObject.partitionKey,
  read: (stored: StoredObject): Entry => ({ ...toPlace(stored.sk), ...searchEntryObject.parse(stored) }),
};
const readSources = {
  partitionKey: searchSourceObject.partitionKey,
  read: (stored: StoredObject): Source => ({ ...toPlace(stored.sk), ...searchSourceObject.parse(stored) }),
};

function match(entries: readonly Entry[], q: string, inSources: ReadonlyMap<string, Match[]>): Found[] {
  const words = splitWords(q);
  return entries.flatMap((entry) => {
    const matches = [...matchWords(words, entry), ...(inSources.get(nameOf(entry)) ?? [])];
    return matches.length === 0 ? [] : [{ ...entry, matches }];
  });
}

/** Reads the first sources, by path, that may contain a query, and returns the matches by the names of the objects. */
async function searchSources(
  { objects, storage }: Uses<"objects" | "storage">,
  workspace: string,
  sources: readonly Source[],
  q: string,
): Promise<{ isComplete: boolean; matches: ReadonlyMap<string, Match[]> }> {
  const isCandidate = createSignatureTest(q);
  const candidates = sources.filter(({ signature }) => isCandidate(signature)).sort((a, b) => compare(a.path, b.path));
  const read = candidates.slice(0, limits.searchedSources).flatMap((source) => {
    const facts = searchedKinds.get(source.kind)?.source;
    return facts ? [{ source, facts, key: facts.key(workspace, source.version) }] : [];
  });
  const bodies = await objects.batchGet(read.map(({ key }) => key));
  const matches = await Promise.all(
    read.map(async ({ source, facts }, index) => {
      const stored = bodies[index];
      // Absent: deleted since the index was read.
      const body = stored && (await readStoredBody(stored, (s3Key) => storage.getObjectText(s3Key)));
      return [nameOf(source), body === undefined ? [] : matchSource(q, facts.text(body))] as const;
    }),
  );
  return { isComplete: candidates.length <= limits.searchedSources, matches: new Map(matches) };
}
