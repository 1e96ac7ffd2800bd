import { limits } from "../../contract/limits.ts";
import type { SearchKind, SearchQuery, SearchResultJson } from "../../contract/routes/console/search.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { type Match, matchSource, matchWords, rankOf, splitWords } from "../../core/search/match.ts";
import { searchedKinds } from "../../core/search/searched-kinds.ts";
import { createSignatureTest, PART_CHARS } from "../../core/search/signature.ts";
import type { Uses } from "../uses.ts";
import { continueIndex } from "./continue-index.ts";
import {
  createReadFilter,
  type IndexEntry,
  type IndexedSource,
  type IndexPlace,
  listSources,
  loadBodies,
  loadIndex,
  toNamedKind,
} from "./read-index.ts";

type Found = IndexEntry & { matches: Match[] };

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
  const readable = (await loadIndex(deps.objects, caller.workspace, kinds)).filter(isReadable);
  const inSources =
    q === undefined || q.length < PART_CHARS
      ? { isComplete: true, matches: new Map() }
      : await searchSources(deps, caller.workspace, listSources(readable), q);
  const found = q === undefined ? readable.map((entry) => ({ ...entry, matches: [] })) : match(readable, q, inSources.matches);
  found.sort((a, b) => rankOf(a.matches) - rankOf(b.matches) || compare(a.path, b.path) || compare(a.kind, b.kind));
  const size = Math.min(query.per_page ?? limits.perPage, q === undefined ? limits.searchListed : limits.maxPerPage);
  const start = (Math.max(page, 1) - 1) * size;
  return { items: found.slice(start, start + size).map(toJson), isComplete: isIndexed && inSources.isComplete };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const nameOf = ({ kind, path }: IndexPlace): string => `${kind}#${path}`;

/** Returns the kinds in the index that a query names. */
function listKinds(requested: readonly SearchKind[] | undefined): string[] {
  const isRequested = (kind: string) => requested?.some((name) => name === (isTrigger(kind) ? "trigger" : kind)) ?? true;
  return [...searchedKinds.keys()].filter(isRequested);
}

const isTrigger = (kind: string): boolean => kind.endsWith("_trigger");

const toJson = ({ kind, path, summary, matches }: Found): SearchResultJson => ({ ...toNamedKind(kind), path, summary, matches });

function match(entries: readonly IndexEntry[], q: string, inSources: ReadonlyMap<string, Match[]>): Found[] {
  const words = splitWords(q);
  return entries.flatMap((entry) => {
    const matches = [...matchWords(words, entry), ...(inSources.get(nameOf(entry)) ?? [])];
    return matches.length === 0 ? [] : [{ ...entry, matches }];
  });
}

/** Reads the first sources, by path, that may contain a query, and returns the matches by the names of the objects. */
async function searchSources(
  deps: Uses<"objects" | "storage">,
  workspace: string,
  sources: readonly IndexedSource[],
  q: string,
): Promise<{ isComplete: boolean; matches: ReadonlyMap<string, Match[]> }> {
  const isCandidate = createSignatureTest(q);
  const candidates = sources.filter(({ signature }) => isCandidate(signature)).sort((a, b) => compare(a.path, b.path));
  const bodies = await loadBodies(deps, workspace, candidates.slice(0, limits.searchedSources));
  const matches = bodies.map(({ source, body, facts }) => [nameOf(source), matchSource(q, facts.text(body))] as const);
  return { isComplete: candidates.length <= limits.searchedSources, matches: new Map(matches) };
}
