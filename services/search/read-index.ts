import type { AccessRule } from "../../contract/access/access-rule.ts";
import type { SearchKind } from "../../contract/routes/console/search.ts";
import { type TriggerKind, triggerKinds } from "../../contract/routes/triggers/trigger-kind.ts";
import { readStoredBody } from "../../core/objects/stored-body.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { domainsOfKinds } from "../../core/permissions/object-kinds.ts";
import { parseReadable } from "../../core/records/record-format.ts";
import { SEARCH_SHARDS, type SearchText, searchEntryObject, toPlace } from "../../core/search/index-items.ts";
import { searchedKinds } from "../../core/search/searched-kinds.ts";
import type { ObjectStore } from "../../ports/object-store.ts";
import { createPathFilter } from "../identity/permit.ts";
import type { Uses } from "../uses.ts";

export interface IndexPlace {
  kind: string;
  path: string;
}
export interface IndexedSource extends IndexPlace {
  version: string;
  signature: string;
}
export type IndexEntry = IndexPlace & SearchText & { source?: Pick<IndexedSource, "version" | "signature"> | undefined };

/** Returns the kind of an object in the index as replies name it. */
export function toNamedKind(kind: string): { kind: SearchKind; trigger_kind?: TriggerKind } {
  const triggerKind = triggerKinds.find((name) => kind === `${name}_trigger`);
  return triggerKind === undefined ? { kind: kind as SearchKind } : { kind: "trigger", trigger_kind: triggerKind };
}

/** Checks the right, and the scopes of the token, for the kind of each object. */
export function createReadFilter(caller: WorkspaceCaller): (place: IndexPlace) => boolean {
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

/** Reads the entries of the index, with consistent reads: a search finds what was saved before it. One kind is a part of each partition. */
export async function loadIndex(objects: ObjectStore, workspace: string, kinds: readonly string[]): Promise<IndexEntry[]> {
  if (kinds.length === 0) return [];
  const range = kinds.length === 1 ? { beginsWith: `${kinds[0]}#` } : {};
  const read = async (shard: number) => {
    const stored = await objects.list(searchEntryObject.partitionKey(workspace, shard), range);
    // Each partition is parsed while the others are read.
    const records = stored.map((object) => ({ parent: object.pk, ref: object.sk, object, place: toPlace(object.sk) }));
    return parseReadable(
      records.filter(({ place }) => kinds.includes(place.kind)),
      ({ object, place }): IndexEntry => ({ ...place, ...searchEntryObject.parse(object) }),
    ).map(([, entry]) => entry);
  };
  return (await Promise.all(Array.from({ length: SEARCH_SHARDS }, (_, shard) => read(shard)))).flat();
}

/** Returns the sources of the entries that have one. */
export const listSources = (entries: readonly IndexEntry[]): IndexedSource[] =>
  entries.flatMap(({ kind, path, source }) => (source ? [{ kind, path, ...source }] : []));

/** Reads the bodies of versions that the index names. One that was deleted since the index was read is left out. */
export async function loadBodies({ objects, storage }: Uses<"objects" | "storage">, workspace: string, sources: readonly IndexedSource[]) {
  const read = sources.flatMap((source) => {
    const facts = searchedKinds.get(source.kind)?.source;
    return facts ? [{ source, facts, key: facts.key(workspace, source.version) }] : [];
  });
  const stored = await objects.batchGet(read.map(({ key }) => key));
  const bodies = read.map(async ({ source, facts }, index) => {
    const item = stored[index];
    return item ? [{ source, facts, body: await readStoredBody(item, (s3Key) => storage.getObjectText(s3Key)) }] : [];
  });
  return (await Promise.all(bodies)).flat();
}
