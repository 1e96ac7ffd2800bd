import { randomUUID } from "node:crypto";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { NewResource, ResourceChange } from "../../contract/routes/stored/resources.ts";
import { keys } from "../../core/objects/keys.ts";
import { write } from "../../core/objects/write.ts";
import type { Actor } from "../../core/people/actor.ts";
import type { StoredResource } from "../../core/resources/resource.ts";
import { permitPath } from "../identity/permit.ts";
import { buildPathConditions, commitParts, type Part, retryOnConflict } from "../outbox/commit-parts.ts";
import { buildEventWrite } from "../outbox/event.ts";
import { buildAclPart } from "../workspaces/acls.ts";
import { requireResource } from "./read.ts";
import { checkResourceValue } from "./types.ts";

export interface SaveResourceDeps {
  objects: ObjectTable;
  nowMs: () => number;
}

const changed = (path: string) => new SvcError("resource.changedMeanwhile", { path });

/**
 * Saves a new resource; with `updateIfExists` its value, type and description also over one that is there. Throws
 * `resource.exists`, `resource.value`, `body.tooLarge`, `path.noFolder`, `workspace.notFound`.
 */
export async function createResource(
  saving: SaveResourceDeps,
  actor: Actor,
  workspace: string,
  asked: NewResource,
  { updateIfExists = false } = {},
): Promise<void> {
  const { path, resource_type: resourceType } = asked;
  permitPath(actor, actions.saveResource, workspace, path);
  const value = asked.value ?? null;
  const json = textOf(value);
  await checkResourceValue(saving, workspace, path, resourceType, value);
  await retryOnConflict(
    async () => {
      const found = await saving.objects.get(keys.resource(workspace, path));
      if (found && !updateIfExists) throw new SvcError("resource.exists", { path });
      const before = found ? requireResource(found, path) : undefined;
      const resource = { createdBy: actor.username, ...before, ...settable(asked), path, json, resourceType, editedAtMs: saving.nowMs() };
      const expect = found ? { version: found.version ?? "" } : "absent";
      const stored = await commitParts(saving.objects, [
        ...buildPathConditions(workspace, path),
        { write: write.put({ ...keys.resource(workspace, path), value: resource, version: randomUUID() }, expect), refused: undefined },
        event(saving, actor, found ? "UpdateResource" : "CreateResource", workspace, path),
      ]);
      return stored ? { done: undefined } : undefined;
    },
    () => changed(path),
  );
}

/** Changes what is there and keeps the rest; another `path` renames. Throws what creating throws, and `resource.notFound`. */
export async function updateResource(
  saving: SaveResourceDeps,
  actor: Actor,
  workspace: string,
  path: string,
  asked: ResourceChange,
): Promise<void> {
  const to = asked.path ?? path;
  permitPath(actor, actions.saveResource, workspace, to);
  const sent = asked.value === undefined ? undefined : textOf(asked.value);
  await retryOnConflict(
    async () => {
      const found = await saving.objects.get(keys.resource(workspace, path));
      const before = requireResource(found, path);
      const expect = { version: found?.version ?? "" };
      const resourceType = asked.resource_type ?? before.resourceType;
      const json = sent ?? before.json;
      if (sent !== undefined || resourceType !== before.resourceType) {
        await checkResourceValue(saving, workspace, to, resourceType, JSON.parse(json));
      }
      const resource: StoredResource = { ...before, ...settable(asked), path: to, json, resourceType, editedAtMs: saving.nowMs() };
      const object = { ...keys.resource(workspace, to), value: resource, version: randomUUID() };
      const parts: Part[] =
        to === path
          ? [{ write: write.put(object, expect), refused: undefined }]
          : [
              ...buildPathConditions(workspace, to),
              { write: write.put(object, "absent"), refused: new SvcError("resource.exists", { path: to }) },
              { write: write.remove(keys.resource(workspace, path), expect), refused: undefined },
              await buildAclPart(saving, { workspace, kind: "resource", path }, to),
            ];
      const stored = await commitParts(saving.objects, [...parts, event(saving, actor, "UpdateResource", workspace, to)]);
      return stored ? { done: undefined } : undefined;
    },
    () => changed(path),
  );
}

/** Throws `resource.notFound`. */
export async function deleteResource(saving: SaveResourceDeps, actor: Actor, workspace: string, path: string): Promise<void> {
  const notFound = new SvcError("resource.notFound", { path });
  await retryOnConflict(
    async () => {
      const stored = await commitParts(saving.objects, [
        { write: write.remove(keys.resource(workspace, path), "present"), refused: notFound },
        await buildAclPart(saving, { workspace, kind: "resource", path }),
        event(saving, actor, "DeleteResource", workspace, path),
      ]);
      return stored ? { done: undefined } : undefined;
    },
    () => changed(path),
  );
}

const event = (
  { nowMs }: SaveResourceDeps,
  actor: Actor,
  type: "CreateResource" | "UpdateResource" | "DeleteResource",
  workspace: string,
  object: string,
): Part => ({ write: buildEventWrite({ type, workspace, object, by: actor.username, atMs: nowMs() }), refused: undefined });

function textOf(value: unknown): string {
  const json = JSON.stringify(value);
  if (Buffer.byteLength(json) > limits.resourceBytes)
    throw new SvcError("body.tooLarge", { limitBytes: limits.resourceBytes, what: "value" });
  return json;
}

function settable({ description, labels, ws_specific }: ResourceChange): Partial<StoredResource> {
  return {
    ...(description == null ? {} : { description }),
    ...(labels == null ? {} : { labels }),
    ...(ws_specific == null ? {} : { wsSpecific: ws_specific }),
  };
}
