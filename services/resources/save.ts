import { randomUUID } from "node:crypto";
import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { NewResource, ResourceChange } from "../../contract/routes/stored/resources.ts";
import { unchangedSince, write } from "../../core/objects/write.ts";
import type { Actor, WorkspaceCaller } from "../../core/people/actor.ts";
import { parseResourceValue, resourceObject, type StoredResource } from "../../core/resources/resource.ts";
import { permitPath } from "../identity/permit.ts";
import { buildPathConditions, commitParts, retryOnConflict } from "../outbox/commit-parts.ts";
import { buildEventParts } from "../outbox/event.ts";
import { loadResourceEventData } from "../outbox/event-data.ts";
import { buildResourceCopyParts, type CopyDeps } from "../secrets/route-credentials.ts";
import { buildReplaceParts, deleteAtPath, type PathKind } from "../workspaces/stored-at-path.ts";
import { requireResource } from "./read.ts";
import { checkAddedReferences } from "./stored-arguments.ts";
import { checkResourceValue } from "./types.ts";

const resourceKind: PathKind = {
  kind: "resource",
  key: resourceObject.key,
  exists: (path) => new SvcError("resource.exists", { path }),
  notFound: (path) => new SvcError("resource.notFound", { path }),
  changed: (path) => new SvcError("resource.changedMeanwhile", { path }),
  deleted: (objects, workspace, path) => ({ type: "DeleteResource", data: () => loadResourceEventData(objects, workspace, path) }),
};

/**
 * Creates a resource. With `updateIfExists` it replaces the value, type and description of an existing one. Throws `resource.exists`,
 * `resource.value`, `reference.refused` for a value that adds a reference which the caller may not read, `body.tooLarge`, `path.noFolder`,
 * `workspace.notFound`.
 */
export async function createResource(
  deps: CopyDeps,
  { actor, workspace }: WorkspaceCaller,
  request: NewResource,
  { updateIfExists = false } = {},
): Promise<void> {
  const { path, resource_type: resourceType } = request;
  permitPath(actor, actions.saveResource, workspace, path);
  const value = request.value ?? null;
  const json = toResourceJsonText(value);
  await checkResourceValue(deps, workspace, { path, type: resourceType, value });
  await retryOnConflict(
    async () => {
      const found = await deps.objects.get(resourceObject.key(workspace, path));
      if (found && !updateIfExists) throw new SvcError("resource.exists", { path });
      const before = found ? requireResource(found, path) : undefined;
      checkAddedReferences({ actor, workspace }, "value", value, before && parseResourceValue(before));
      const resource = {
        createdBy: actor.username,
        ...before,
        ...optionalFields(request),
        path,
        json,
        resourceType,
        editedAtMs: deps.nowMs(),
      };
      const expect = found ? unchangedSince(found) : "absent";
      const stored = await commitParts(deps.objects, [
        ...buildPathConditions(workspace, path),
        {
          write: write.put({ ...resourceObject.key(workspace, path), value: resource, version: randomUUID() }, expect),
          refused: undefined,
        },
        ...(await buildResourceCopyParts(deps, { actor, workspace }, { before, after: resource })),
        ...(await buildEventParts(deps, {
          type: found ? "UpdateResource" : "CreateResource",
          workspace,
          by: actor.username,
          atMs: deps.nowMs(),
          data: { path, resource_type: resourceType },
        })),
      ]);
      return stored ? { done: undefined } : undefined;
    },
    () => resourceKind.changed(path),
  );
}

/** Changes the given fields of a resource; another `path` renames it. Throws as `createResource` does, and `resource.notFound`. */
export async function updateResource(
  deps: CopyDeps,
  { actor, workspace, path }: WorkspaceCaller & { path: string },
  request: ResourceChange,
): Promise<void> {
  const to = request.path ?? path;
  permitPath(actor, actions.saveResource, workspace, to);
  const sent = request.value === undefined ? undefined : toResourceJsonText(request.value);
  await retryOnConflict(
    async () => {
      const found = await deps.objects.get(resourceObject.key(workspace, path));
      if (!found) throw resourceKind.notFound(path);
      const before = requireResource(found, path);
      const resourceType = request.resource_type ?? before.resourceType;
      const json = sent ?? before.json;
      if (sent !== undefined) checkAddedReferences({ actor, workspace }, "value", request.value, parseResourceValue(before));
      if (sent !== undefined || resourceType !== before.resourceType) {
        await checkResourceValue(deps, workspace, { path: to, type: resourceType, value: parseResourceValue({ path, json }) });
      }
      const resource: StoredResource = { ...before, ...optionalFields(request), path: to, json, resourceType, editedAtMs: deps.nowMs() };
      const stored = await commitParts(deps.objects, [
        ...(await buildReplaceParts(deps, resourceKind, { actor, workspace, found, from: path, to, value: resource })),
        ...(await buildResourceCopyParts(deps, { actor, workspace }, { before, after: resource, keepsValue: sent === undefined })),
        ...(await buildEventParts(deps, {
          type: "UpdateResource",
          workspace,
          by: actor.username,
          atMs: deps.nowMs(),
          data: { path: to, ...(to === path ? {} : { old_path: path }), resource_type: resourceType },
        })),
      ]);
      return stored ? { done: undefined } : undefined;
    },
    () => resourceKind.changed(path),
  );
}

/** Deletes a resource with its extra permissions. Throws `resource.notFound`. */
export function deleteResource(deps: CopyDeps, actor: Actor, workspace: string, path: string): Promise<void> {
  return deleteAtPath(deps, resourceKind, { actor, workspace, path }, async () => {
    const found = await deps.objects.get(resourceObject.key(workspace, path));
    return found ? buildResourceCopyParts(deps, { actor, workspace }, { before: requireResource(found, path) }) : [];
  });
}

function toResourceJsonText(value: unknown): string {
  const json = JSON.stringify(value);
  if (Buffer.byteLength(json) > limits.resourceBytes)
    throw new SvcError("body.tooLarge", { limitBytes: limits.resourceBytes, what: "value" });
  return json;
}

function optionalFields({ description, labels, ws_specific }: ResourceChange): Partial<StoredResource> {
  return {
    ...(description == null ? {} : { description }),
    ...(labels == null ? {} : { labels }),
    ...(ws_specific == null ? {} : { wsSpecific: ws_specific }),
  };
}
