import { replaceUnchanged } from "../../core/objects/version.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { permitPath } from "../identity/permit.ts";
import type { TransactionPart } from "../outbox/commit-parts.ts";
import type { Uses } from "../uses.ts";
import type { Change, ObjectTarget, PathKind, Writer } from "./path-kind.ts";
import { type BuildChange, type Mode, writeObject } from "./write-object.ts";

/**
 * Checks the request, once and before the object is read, and returns the function that builds the change. That function is called again when
 * another writer was first.
 */
type PrepareChange<Before, T, C> = () => Promise<BuildChange<Before, T, C>>;

/** Creates an object at a path and returns the change. Throws the kind's `exists`, `auth.forbidden`, `path.noFolder`, `workspace.notFound`. */
export function createObject<T, D extends Uses<"objects" | "nowMs">, S, C extends Change<T, S> | undefined>(
  deps: D,
  kind: PathKind<T, D, S>,
  target: WorkspaceCaller & { path: string },
  prepare: PrepareChange<undefined, T, C>,
): Promise<C> {
  return saveObject(deps, kind, { ...target, to: target.path }, { mode: "create", prepare: prepare as PrepareChange<T | undefined, T, C> });
}

/**
 * Changes an object; another path `to` moves it there, with its extra permissions if `buildAclPart` allows it. Throws the kind's `notFound` and
 * `exists`, `object.versionChanged`, `access.tooMuch`, and as `createObject` does.
 */
export function changeObject<T, D extends Uses<"objects" | "nowMs">, S, C extends Change<T, S> | undefined>(
  deps: D,
  kind: PathKind<T, D, S>,
  target: ObjectTarget & { to?: string | undefined },
  prepare: PrepareChange<T, T, C>,
): Promise<C> {
  const { path, to = path } = target;
  // The object of a change was read.
  return saveObject(deps, kind, { ...target, to }, { mode: "change", prepare: prepare as PrepareChange<T | undefined, T, C> });
}

/** Creates an object at a path, or replaces the existing one. Throws as `createObject` does. */
export function replaceObject<T, D extends Uses<"objects" | "nowMs">, S, C extends Change<T, S> | undefined>(
  deps: D,
  kind: PathKind<T, D, S>,
  target: ObjectTarget,
  prepare: PrepareChange<T | undefined, T, C>,
): Promise<C> {
  return saveObject(deps, kind, { ...target, to: target.path }, { mode: "replace", prepare });
}

async function saveObject<T, D extends Uses<"objects" | "nowMs">, S, C extends Change<T, S> | undefined>(
  deps: D,
  kind: PathKind<T, D, S>,
  target: ObjectTarget & { to: string },
  { mode, prepare }: { mode: Mode; prepare: PrepareChange<T | undefined, T, C> },
): Promise<C> {
  const { actor, workspace, to } = target;
  if (kind.save) permitPath(actor, kind.save, workspace, to);
  return writeObject(deps, kind, target, { mode, build: await prepare() });
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
  return [
    { write: replaceUnchanged({ stored, value: after, by: actor?.username, atMs: deps.nowMs() }), refused: undefined },
    ...((await kind.buildCopies?.(deps, { workspace, actor }, { before: kind.parse(stored), after }, sent)) ?? []),
  ];
}
