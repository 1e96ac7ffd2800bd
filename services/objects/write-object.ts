import { createVersion, requireVersion } from "../../core/objects/version.ts";
import { type StoredObject, unchangedSince, write } from "../../core/objects/write.ts";
import { buildPathConditions, commitParts, retryOnConflict, type TransactionPart } from "../outbox/commit-parts.ts";
import { buildEventParts } from "../outbox/event.ts";
import type { Uses } from "../uses.ts";
import { type AclMove, buildAclPart } from "../workspaces/acls.ts";
import type { Change, ObjectTarget, PathKind } from "./path-kind.ts";

/** The kind of write. `replace`: the object is created unless it exists. */
export type Mode = "create" | "change" | "replace" | "remove";

/** The change of a write. The one of a deletion has no value. */
export type AnyChange<T, S> = Omit<Change<T, S>, "value" | "version"> & { value?: T; version?: "kept" };

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
  { mode, build }: { mode: Mode; build: (before: T | undefined) => Promise<C> },
): Promise<C> {
  const { actor, workspace, path } = target;
  return retryOnConflict(
    async (earlier) => {
      const stored = mode === "create" ? undefined : await deps.objects.get(kind.key(workspace, path));
      if (!stored && (mode === "change" || mode === "remove")) throw kind.notFound(path);
      const before = stored && kind.parse(stored);
      if (before && mode === "change" && kind.isArchived?.(before)) throw kind.notFound(path);
      if (stored) requireVersion(stored, target);
      const change = await build(before);
      if (!change) return { done: change };
      const atMs = deps.nowMs();
      const { value: after, version, parts = [], event, sent } = change;
      const isCommitted = await commitParts(deps.objects, [
        ...(await buildObjectParts(deps, kind, { target, stored, mode, after, version })),
        ...parts,
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

interface ObjectWriteRequest<T> {
  target: WriteTarget;
  /** The stored object at the path. */
  stored: StoredObject | undefined;
  mode: Mode;
  after: T | undefined;
  version: "kept" | undefined;
}

/** Builds the parts that store or remove an object. At another path it is created there and removed at the old one, together with its extra permissions. */
async function buildObjectParts<T, D extends Uses<"objects" | "nowMs">, S>(
  deps: D,
  { key, permissions, exists }: Pick<PathKind<T, D, S>, "key" | "permissions" | "exists">,
  { target: { actor, workspace, path, to }, stored, mode, after, version }: ObjectWriteRequest<T>,
): Promise<TransactionPart[]> {
  const removed = stored && { write: write.remove(key(workspace, path), unchangedSince(stored)), refused: undefined };
  const buildAcl = async (move?: AclMove) =>
    permissions === undefined ? [] : [await buildAclPart(deps, { workspace, kind: permissions, path }, move)];
  if (mode === "remove") return removed ? [removed, ...(await buildAcl())] : [];
  if (stored && version === "kept")
    return [{ write: write.update({ ...key(workspace, path), value: after }, unchangedSince(stored)), refused: undefined }];
  const object = { ...key(workspace, to), value: after, ...createVersion(actor.username, deps.nowMs()) };
  if (stored && to === path) {
    // Only a request that may create the object requires its folder.
    const conditions = mode === "replace" ? buildPathConditions(workspace, to) : [];
    return [...conditions, { write: write.put(object, unchangedSince(stored)), refused: undefined }];
  }
  return [
    ...buildPathConditions(workspace, to),
    // Between the read and the write of `replace`, another writer may have created the object.
    { write: write.put(object, "absent"), refused: mode === "replace" ? undefined : exists(to) },
    ...(removed ? [removed, ...(await buildAcl({ actor, to }))] : []),
  ];
}
