import { randomUUID } from "node:crypto";
import { defined } from "../../contract/defined.ts";
import type { DependencyLanguage } from "../../contract/dependency-language.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { DependenciesJson, NewDependencies } from "../../contract/routes/stored/workspace-dependencies.ts";
import { toIsoTime } from "../../contract/utilities/iso-time.ts";
import { parseDependencies } from "../../core/builds/packages/workspace-dependencies.ts";
import { type StoredObject, unchangedSince, write } from "../../core/objects/write.ts";
import type { StoredDependencyList } from "../../core/workspaces/dependency-list.ts";
import { archivedDependencyListObject, dependencyListObject } from "../../core/workspaces/dependency-list.ts";
import { workspaceObject } from "../../core/workspaces/workspace.ts";
import type { ObjectStore } from "../../ports/object-store.ts";
import { commitParts, type TransactionPart } from "../outbox/commit-parts.ts";
import type { Uses } from "../uses.ts";

type Stored = StoredDependencyList;

/** The location of a list: the default of a language has no name. */
export interface DependencyPlace {
  workspace: string;
  language: DependencyLanguage;
  name?: string | undefined;
}

const keyOf = ({ workspace, language, name }: DependencyPlace) => dependencyListObject.key(workspace, language, name ?? "");
const notFound = ({ language, name }: DependencyPlace) => new SvcError("dependencies.notFound", { language, ...(name ? { name } : {}) });
const changed = ({ language }: DependencyPlace) => new SvcError("dependencies.changedMeanwhile", { language });

function toJson(workspace: string, { createdAtMs, name, description, ...fields }: Stored): DependenciesJson {
  const optional = { ...defined({ name, description }) };
  return { ...fields, ...optional, workspace_id: workspace, created_at: toIsoTime(createdAtMs) };
}

/** The share of a list in a reply, which contains it as a JSON string in JSON. */
const measure = (list: DependenciesJson) => Buffer.byteLength(JSON.stringify(JSON.stringify(list)));

/** Loads the newest content of every list, archived lists included. */
export async function loadCurrentDependencies({ objects }: Uses<"objects">, workspace: string): Promise<DependenciesJson[]> {
  const stored = await objects.list(dependencyListObject.partitionKey(workspace));
  return dependencyListObject.parseReadable(stored).map((one) => toJson(workspace, one));
}

/** Lists the lists of a workspace by language and name, followed by as many archived contents as fit one read and the reply. */
export async function listDependencies(deps: Uses<"objects">, workspace: string): Promise<DependenciesJson[]> {
  const lists = await loadCurrentDependencies(deps, workspace);
  let left = limits.dependenciesReplyBytes - lists.reduce((sum, list) => sum + measure(list), 0);
  // With a limit, DynamoDB is read once, which returns at most 1 MB.
  const most = limits.dependencyLists * limits.archivedDependencies;
  const archived = await deps.objects.list(archivedDependencyListObject.partitionKey(workspace), { limit: most });
  for (const one of archivedDependencyListObject.parseReadable(archived)) {
    const list = toJson(workspace, one);
    left -= measure(list);
    if (left < 0) break;
    lists.push(list);
  }
  return lists;
}

/** Returns a list. Throws `dependencies.notFound`, also for an archived one. */
export async function getDependencies({ objects }: Uses<"objects">, list: DependencyPlace): Promise<DependenciesJson> {
  const found = await objects.get(keyOf(list));
  const stored = found && dependencyListObject.parse(found);
  if (!stored || stored.archived) throw notFound(list);
  return toJson(list.workspace, stored);
}

/** Returns the content of a list for a build, or `undefined` if there is none. */
export async function findDependencyContent({ objects }: Uses<"objects">, list: DependencyPlace): Promise<string | undefined> {
  const found = await objects.get(keyOf(list));
  const stored = found && dependencyListObject.parse(found);
  return stored && !stored.archived ? stored.content : undefined;
}

/**
 * Stores a list in place of the one with the same name, which is archived, and returns its id. A list that arrives twice is stored once. Throws
 * `dependencies.content`, `dependencies.tooMany`, `dependencies.tooLarge`, `dependencies.changedMeanwhile` and `workspace.notFound`.
 */
export async function saveDependencies(
  { objects, nowMs }: Uses<"objects" | "nowMs">,
  workspace: string,
  request: NewDependencies,
): Promise<number> {
  const { language, content } = request;
  const name = request.name ?? undefined;
  const listKey = { workspace, language, name };
  const entries = parseDependencies(language, content);
  if (typeof entries === "string") throw new SvcError("dependencies.content", { reason: entries });
  const found = await objects.get(keyOf(listKey));
  const before = found && dependencyListObject.parse(found);
  const description = request.description ?? undefined;
  if (before && !before.archived && before.content === content && before.description === description) return before.id;
  const createdAtMs = nowMs();
  const stored = { id: Math.max(createdAtMs, (before?.id ?? 0) + 1), language, content, archived: false, createdAtMs };
  const value: Stored = { ...stored, ...defined({ name, description }) };
  const others = (await loadCurrentDependencies({ objects }, workspace)).filter((list) => list.language !== language || list.name !== name);
  checkLimits([...others, toJson(workspace, value)]);
  const isStored = await commitParts(objects, [
    { write: write.check(workspaceObject.key(workspace), "present"), refused: new SvcError("workspace.notFound", { workspace }) },
    {
      write: write.put({ ...keyOf(listKey), value, version: randomUUID() }, found ? unchangedSince(found) : "absent"),
      refused: changed(listKey),
    },
    ...(before ? await buildArchiveParts(objects, listKey, before) : []),
  ]);
  if (!isStored) throw changed(listKey);
  return value.id;
}

function checkLimits(lists: DependenciesJson[]): void {
  if (lists.length > limits.dependencyLists) throw new SvcError("dependencies.tooMany", { limit: limits.dependencyLists });
  if (lists.reduce((sum, list) => sum + measure(list), 0) > limits.dependenciesBytes)
    throw new SvcError("dependencies.tooLarge", { limitBytes: limits.dependenciesBytes });
}

/** Lists the archived contents of one list, the oldest first. */
const loadArchived = (objects: ObjectStore, { workspace, language, name }: DependencyPlace): Promise<StoredObject[]> => {
  const { pk, sk } = archivedDependencyListObject.key(workspace, language, name ?? "", "");
  return objects.list(pk, { beginsWith: sk });
};

/** Stores the former content of a list, and removes the oldest ones above the limit. */
async function buildArchiveParts(objects: ObjectStore, list: DependencyPlace, before: Stored): Promise<TransactionPart[]> {
  const archived = await loadArchived(objects, list);
  const oldest = archived.slice(0, Math.max(0, archived.length + 1 - limits.archivedDependencies));
  const key = archivedDependencyListObject.key(list.workspace, list.language, list.name ?? "", before.id);
  return [write.put({ ...key, value: { ...before, archived: true } }), ...oldest.map((one) => write.remove(one))].map((part) => ({
    write: part,
    refused: undefined,
  }));
}

/** Archives a list, so that builds no longer use it. Throws `dependencies.notFound` and `dependencies.changedMeanwhile`. */
export async function archiveDependencies({ objects }: Uses<"objects">, list: DependencyPlace): Promise<void> {
  const found: StoredObject | undefined = await objects.get(keyOf(list));
  if (!found) throw notFound(list);
  const value = { ...dependencyListObject.parse(found), archived: true };
  if (!(await objects.put({ ...keyOf(list), value, version: randomUUID() }, unchangedSince(found)))) throw changed(list);
}

/** Deletes a list with its archived contents. Throws `dependencies.notFound` and `dependencies.changedMeanwhile`. */
export async function deleteDependencies({ objects }: Uses<"objects">, list: DependencyPlace): Promise<void> {
  const found = await objects.get(keyOf(list));
  if (!found) throw notFound(list);
  const archived = await loadArchived(objects, list);
  // A list that is saved in between has archived another content, which this transaction would leave behind.
  const removals = [write.remove(keyOf(list), unchangedSince(found)), ...archived.map((one) => write.remove(one))];
  if ((await objects.transactWrite(removals)) !== undefined) throw changed(list);
}
