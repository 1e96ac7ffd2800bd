import { createVersion, requireVersion } from "../../core/objects/version.ts";
import { type StoredObject, unchangedSince, write } from "../../core/objects/write.ts";
import { buildPathConditions, commitParts, retryOnConflict, type TransactionPart } from "../outbox/commit-parts.ts";
import { buildEventParts } from "../outbox/event.ts";
import { buildIndexParts } from "../search/index-parts.ts";
import type { Uses } from "../uses.ts";
import { type AclMove, buildAclPart } from "../workspaces/acls.ts";
import type { Change, ObjectTarget, PathKind, Source } from "./path-kind.ts";

/** The kind of write. `replace`: the object is created unless it exists. */
export type Mode = "create" | "change" | "replace" | "remove";

/** The change of a write. The one of a deletion has no value. */
export type AnyChange<T, S> = Omit<Change<T, S>, "value"> & { value?: T };

/**
 * Builds the change of an object. `before`: the object at the path, or `undefined` for one that is created. `archived`: the object that leaves its
 * path to this one. `stored`: the item of `before`.
 */
export type BuildChange<Before, T, C> = (before: Before, archived: T | undefined, stored: StoredObject | undefined) => Promise<C>;

/** An object that a write stores at the path `to`, or removes. */
type WriteTarget = ObjectTarget & { to: string };

/**
 * Reads an object, checks its version, builds its change, and commits it with its extra permissions, its sealed copies and its event in one
 * transaction. Repeats that while other writers are first. Returns the change; `undefined` writes nothing. Throws the kind's errors and
 * `object.versionChanged`.
 */
export async function writeObject<T, D extends Uses<"objects" | "nowMs">, S, C extends AnyChange<T, S> | undefined>(
  deps: D,
  kind: PathKind<T, D, S>,
  target: WriteTarget,
  { mode, build }: { mode: Mode; build: BuildChange<T | undefined, T, C> },
): Promise<C> {
  const { actor, workspace, path, to } = target;
  return retryOnConflict(
    async (earlier) => {
      const mayReplace = kind.isArchived && (mode === "create" || to !== path);
      const [there, stored] = await Promise.all([
        mayReplace ? deps.objects.get(kind.key(workspace, to)) : undefined,
        mode === "create" ? undefined : deps.objects.get(kind.key(workspace, path)),
      ]);
      if (!stored && (mode === "change" || mode === "remove")) throw kind.notFound(path);
      const [archived, before] = [there, stored].map((each) => each && kind.parse(each));
      if (before && mode === "change" && kind.isArchived?.(before)) throw kind.notFound(path);
      if (archived && !kind.isArchived?.(archived)) throw kind.exists(to);
      if (stored) requireVersion(stored, target);
      const change = await build(before, archived, stored);
      // Called after `build`, which names an object that cannot be created. A built-in one has the version of an item without one.
      if (!stored && mode === "replace") requireVersion({}, target);
      if (!change) return { done: change };
      // A change that keeps the version is noticed by the condition of what `build` has read, or, if it was committed before that read, here.
      if (change.version === "kept" && !isSame(stored, await deps.objects.get(kind.key(workspace, path)))) return undefined;
      const atMs = deps.nowMs();
      const { value: after, parts = [], event, sent } = change;
      const isCommitted = await commitParts(deps.objects, [
        ...(await buildObjectParts(deps, kind, { target, stored, there, mode, change })),
        ...parts,
        ...buildSearchParts(kind, target, before, after),
        ...((await kind.buildCopies?.(deps, { actor, workspace }, { before, after }, sent)) ?? []),
        ...(event ? await buildEventParts(deps, { ...event, workspace, by: actor.username, atMs }) : []),
      ]);
      if (isCommitted) return { done: change };
      await kind.onConflict?.(workspace, earlier);
      return undefined;
    },
    () => kind.changed(path),
    kind.maxTries,
  );
}

const isSame = (before: StoredObject | undefined, now: StoredObject | undefined): boolean =>
  before?.version === now?.version && JSON.stringify(before?.value) === JSON.stringify(now?.value);

/** Builds the parts that change the index of the search. */
function buildSearchParts<T, D extends Uses<"objects" | "nowMs">, S>(
  { permissions = "", toSearchText }: PathKind<T, D, S>,
  { workspace, path, to }: WriteTarget,
  before: T | undefined,
  after: T | undefined,
): TransactionPart[] {
  if (!toSearchText) return [];
  return buildIndexParts({
    workspace,
    kind: permissions,
    before: before && { path, text: toSearchText(before) },
    after: after && { path: to, text: toSearchText(after) },
  });
}

interface ObjectWriteRequest<T, S> {
  target: WriteTarget;
  /** The stored object at the path. */
  stored: StoredObject | undefined;
  /** The archived object at the path `to`. */
  there: StoredObject | undefined;
  mode: Mode;
  change: AnyChange<T, S>;
}

/** Builds the parts that store an object, and those that remove the one at its old path. */
async function buildObjectParts<T, D extends Uses<"objects" | "nowMs">, S>(
  deps: D,
  kind: PathKind<T, D, S>,
  request: ObjectWriteRequest<T, S>,
): Promise<TransactionPart[]> {
  const { target, stored, mode, change } = request;
  const { actor, workspace, path, to } = target;
  const isRemoved = mode === "remove";
  const read = stored && (isRemoved || to !== path) ? { path, unchanged: unchangedSince(stored), refused: undefined } : undefined;
  const { from = read } = change;
  return [
    ...(isRemoved ? [] : buildPutParts(kind, request, deps.nowMs())),
    ...(from ? await buildRemovalParts(deps, kind, workspace, from, isRemoved ? undefined : { actor, to }) : []),
  ];
}

function buildPutParts<T, D extends Uses<"objects" | "nowMs">, S>(
  { key, isArchived, exists }: PathKind<T, D, S>,
  { target: { actor, workspace, path, to }, stored, there, mode, change }: ObjectWriteRequest<T, S>,
  atMs: number,
): TransactionPart[] {
  const { value, version, conditions = [] } = change;
  if (stored && version === "kept")
    return [{ write: write.update({ ...key(workspace, path), value }, unchangedSince(stored)), refused: undefined }];
  const replaced = to === path ? (stored ?? there) : there;
  const object = { ...key(workspace, to), value, ...createVersion(actor.username, atMs), ...(version === "kept" ? {} : version) };
  // Only a request that may create the object, or a version of it, requires its folder.
  const needsFolder = !stored || to !== path || mode === "replace" || version !== undefined;
  // Between the read of the path and the write, another writer may have created the object.
  const refused = replaced || mode === "replace" || isArchived ? undefined : exists(to);
  return [
    ...(needsFolder ? buildPathConditions(workspace, to) : []),
    ...conditions,
    { write: write.put(object, replaced ? unchangedSince(replaced) : "absent"), refused },
  ];
}

/** Builds the parts that remove an object, together with its extra permissions, which may move to another path. */
async function buildRemovalParts<T, D extends Uses<"objects" | "nowMs">, S>(
  deps: D,
  { key, permissions }: PathKind<T, D, S>,
  workspace: string,
  { path, unchanged, refused }: Source,
  move: AclMove | undefined,
): Promise<TransactionPart[]> {
  return [
    { write: write.remove(key(workspace, path), unchanged), refused },
    ...(permissions === undefined ? [] : [await buildAclPart(deps, { workspace, kind: permissions, path }, move)]),
  ];
}
