import { defined } from "../../contract/defined.ts";
import { createVersion, requireVersion } from "../../core/objects/version.ts";
import { type StoredObject, unchangedSince, write } from "../../core/objects/write.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { permitPath } from "../identity/permit.ts";
import { buildPathConditions, commitParts, retryOnConflict, type TransactionPart } from "../outbox/commit-parts.ts";
import { buildEventParts } from "../outbox/event.ts";
import type { Uses } from "../uses.ts";
import { buildAclPart } from "../workspaces/acls.ts";
import type { Change, ObjectTarget, PathKind, Writer } from "./path-kind.ts";

/** The kind of write. `replace`: the object is created unless it exists. */
type Mode = "create" | "change" | "replace";

/**
 * Checks the request, once and before anything is read, and returns the function that builds the change. That function is called again when
 * another writer was first. `before`: the stored object; always `undefined` for an object that is created.
 */
export type PrepareChange<Before, C> = () => Promise<(before: Before) => Promise<C>>;

/** Creates an object at a path and returns the change. Throws the kind's `exists`, `auth.forbidden`, `path.noFolder`, `workspace.notFound`. */
export function createObject<T, D extends Uses<"objects" | "nowMs">, S, C extends Change<T, S>>(
  deps: D,
  kind: PathKind<T, D, S>,
  target: WorkspaceCaller & { path: string },
  prepare: PrepareChange<undefined, C>,
): Promise<C> {
  return saveObject(deps, kind, { ...target, to: target.path }, { mode: "create", prepare: prepare as PrepareChange<T | undefined, C> });
}

/**
 * Changes an object; another path `to` moves it there, with its extra permissions if `buildAclPart` allows it. Throws the kind's `notFound` and
 * `exists`, `object.versionChanged`, `access.tooMuch`, and as `createObject` does.
 */
export function changeObject<T, D extends Uses<"objects" | "nowMs">, S, C extends Change<T, S>>(
  deps: D,
  kind: PathKind<T, D, S>,
  target: ObjectTarget & { to?: string | undefined },
  prepare: PrepareChange<T, C>,
): Promise<C> {
  const { path, to = path } = target;
  // The object of a change was read.
  return saveObject(deps, kind, { ...target, to }, { mode: "change", prepare: prepare as PrepareChange<T | undefined, C> });
}

/** Creates an object at a path, or replaces the existing one. Throws as `createObject` does. */
export function replaceObject<T, D extends Uses<"objects" | "nowMs">, S, C extends Change<T, S>>(
  deps: D,
  kind: PathKind<T, D, S>,
  target: ObjectTarget,
  prepare: PrepareChange<T | undefined, C>,
): Promise<C> {
  return saveObject(deps, kind, { ...target, to: target.path }, { mode: "replace", prepare });
}

async function saveObject<T, D extends Uses<"objects" | "nowMs">, S, C extends Change<T, S>>(
  deps: D,
  kind: PathKind<T, D, S>,
  target: ObjectTarget & { to: string },
  { mode, prepare }: { mode: Mode; prepare: PrepareChange<T | undefined, C> },
): Promise<C> {
  const { actor, workspace, path, to } = target;
  if (kind.save) permitPath(actor, kind.save, workspace, to);
  const build = await prepare();
  return retryOnConflict(
    async () => {
      const stored = mode === "create" ? undefined : await deps.objects.get(kind.key(workspace, path));
      if (!stored && mode === "change") throw kind.notFound(path);
      if (stored) requireVersion(stored, target);
      const before = stored && kind.parse(stored);
      const change = await build(before);
      const atMs = deps.nowMs();
      const { value: after, parts = [], event, sent } = change;
      const isStored = await commitParts(deps.objects, [
        ...(await buildObjectParts(deps, kind, { target, stored, mode, after })),
        ...parts,
        ...((await kind.buildCopies?.(deps, { actor, workspace }, { before, after }, sent)) ?? []),
        ...(event ? await buildEventParts(deps, { ...event, workspace, by: actor.username, atMs }) : []),
      ]);
      if (isStored) return { done: change };
      kind.onConflict?.(workspace);
      return undefined;
    },
    () => kind.changed(path),
  );
}

interface ObjectWriteRequest<T> {
  target: ObjectTarget & { to: string };
  /** The stored object at the path. */
  stored: StoredObject | undefined;
  mode: Mode;
  after: T;
}

/** Builds the parts that store an object. At another path it is created there and removed at the old one, together with its extra permissions. */
async function buildObjectParts<T, D extends Uses<"objects" | "nowMs">, S>(
  deps: D,
  { key, permissions, exists }: Pick<PathKind<T, D, S>, "key" | "permissions" | "exists">,
  { target: { actor, workspace, path, to }, stored, mode, after }: ObjectWriteRequest<T>,
): Promise<TransactionPart[]> {
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
    ...(stored ? [{ write: write.remove(key(workspace, path), unchangedSince(stored)), refused: undefined }] : []),
    ...(stored && permissions !== undefined ? [await buildAclPart(deps, { workspace, kind: permissions, path }, { actor, to })] : []),
  ];
}

interface ReplacedObject<T, S> extends Writer {
  stored: StoredObject;
  after: T;
  sent: S;
}

/** Builds the parts that replace an object at its path, for a change of items of another kind. */
export async function buildReplaceParts<T, D extends Uses<"objects" | "nowMs">, S>(
  deps: D,
  kind: PathKind<T, D, S>,
  { workspace, actor, stored, after, sent }: ReplacedObject<T, S>,
): Promise<TransactionPart[]> {
  const { pk, sk, format } = stored;
  const object = { pk, sk, ...defined({ format }), value: after, ...createVersion(actor?.username ?? SERVICE, deps.nowMs()) };
  return [
    { write: write.put(object, unchangedSince(stored)), refused: undefined },
    ...((await kind.buildCopies?.(deps, { workspace, actor }, { before: kind.parse(stored), after }, sent)) ?? []),
  ];
}
/** The author of changes by the service itself. */
const SERVICE = "svc";
