import { randomUUID } from "node:crypto";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import type { SvcError } from "../../contract/errors.ts";
import type { ObjectKey } from "../../core/objects/write.ts";
import { type StoredObject, unchangedSince, write } from "../../core/objects/write.ts";
import type { Actor, WorkspaceCaller } from "../../core/people/actor.ts";
import { buildPathConditions, commitParts, retryOnConflict, type TransactionPart } from "../outbox/commit-parts.ts";
import { buildEventParts, type NewEvent } from "../outbox/event.ts";
import { buildAclPart } from "./acls.ts";

/** A kind of object that exists once at each path of a workspace: its key, its errors and the event of its deletion. */
export interface PathKind {
  kind: "variable" | "resource";
  key: (workspace: string, path: string) => ObjectKey;
  exists: (path: string) => SvcError;
  notFound: (path: string) => SvcError;
  changed: (path: string) => SvcError;
  deleted: (
    objects: Pick<ObjectTable, "get">,
    workspace: string,
    path: string,
  ) => Pick<NewEvent<"DeleteVariable">, "type" | "data"> | Pick<NewEvent<"DeleteResource">, "type" | "data">;
}

interface Change {
  actor: Actor;
  workspace: string;
  /** The object as it was read. */
  found: StoredObject;
  from: string;
  to: string;
  value: unknown;
}

/**
 * Builds the parts that replace an object which was read. At another path the object is created there and removed at the old one, and its
 * extra permissions move with it as far as `buildAclPart` allows.
 */
export async function buildReplaceParts(
  deps: { objects: ObjectTable },
  { kind, key, exists }: PathKind,
  { actor, workspace, found, from, to, value }: Change,
): Promise<TransactionPart[]> {
  const object = { ...key(workspace, to), value, version: randomUUID() };
  if (to === from) return [{ write: write.put(object, unchangedSince(found)), refused: undefined }];
  return [
    ...buildPathConditions(workspace, to),
    { write: write.put(object, "absent"), refused: exists(to) },
    { write: write.remove(key(workspace, from), unchangedSince(found)), refused: undefined },
    await buildAclPart(deps, { workspace, kind, path: from }, { actor, to }),
  ];
}

/**
 * Deletes an object with its extra permissions and with what `buildLinkedParts` removes, and reports its deletion. Throws the kind's `notFound` or
 * `changed`.
 */
export async function deleteAtPath(
  deps: { objects: ObjectTable; nowMs: () => number },
  { kind, key, notFound, changed, deleted }: PathKind,
  { actor, workspace, path }: WorkspaceCaller & { path: string },
  buildLinkedParts: () => Promise<TransactionPart[]>,
): Promise<void> {
  await retryOnConflict(
    async () => {
      const stored = await commitParts(deps.objects, [
        { write: write.remove(key(workspace, path), "present"), refused: notFound(path) },
        await buildAclPart(deps, { workspace, kind, path }),
        ...(await buildLinkedParts()),
        ...(await buildEventParts(deps, { ...deleted(deps.objects, workspace, path), workspace, by: actor.username, atMs: deps.nowMs() })),
      ]);
      return stored ? { done: undefined } : undefined;
    },
    () => changed(path),
  );
}
