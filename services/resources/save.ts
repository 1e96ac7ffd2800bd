import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { NewResource, ResourceChange } from "../../contract/routes/stored/resources.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { parseResourceValue, resourceObject, type StoredResource } from "../../core/resources/resource.ts";
import { toSearchText } from "../../core/search/index-items.ts";
import type { ObjectTarget, PathKind } from "../objects/path-kind.ts";
import { removeObject } from "../objects/remove-object.ts";
import { changeObject, replaceObject } from "../objects/save-object.ts";
import { buildResourceCopyParts } from "../secrets/sealed-copies.ts";
import type { Uses } from "../uses.ts";
import { checkAddedReferences } from "./stored-arguments.ts";
import { checkResourceValue } from "./types.ts";

/** Whether the caller has not sent the value, which may be that of another user. */
interface SentValue {
  keepsValue: boolean;
}

export const resourceKind: PathKind<StoredResource, Uses<"objects" | "dataKeys" | "httpRouteKeys" | "chatKeys" | "nowMs">, SentValue> = {
  key: resourceObject.key,
  parse: resourceObject.parse,
  permissions: "resource",
  toSearchText,
  save: actions.saveResource,
  exists: (path) => new SvcError("resource.exists", { path }),
  notFound: (path) => new SvcError("resource.notFound", { path }),
  changed: (path) => new SvcError("resource.changedMeanwhile", { path }),
  buildCopies: (deps, writer, objects, input) => buildResourceCopyParts(deps, writer, { ...objects, ...input }),
};

/**
 * Creates a resource. With `updateIfExists` it replaces the value, type and description of an existing one. Throws `resource.exists`,
 * `resource.value`, `reference.refused` for a value that adds a reference which the caller may not read, `body.tooLarge`, `path.noFolder`,
 * `workspace.notFound`.
 */
export async function createResource(
  deps: Uses<"objects" | "dataKeys" | "httpRouteKeys" | "chatKeys" | "nowMs">,
  { actor, workspace }: WorkspaceCaller,
  request: NewResource,
  { updateIfExists = false } = {},
): Promise<void> {
  const { path, resource_type: resourceType } = request;
  await replaceObject(deps, resourceKind, { actor, workspace, path }, async () => {
    const value = request.value ?? null;
    const json = toResourceJsonText(value);
    await checkResourceValue(deps, workspace, { path, type: resourceType, value });
    return async (before) => {
      if (before && !updateIfExists) throw resourceKind.exists(path);
      checkAddedReferences({ actor, workspace }, "value", value, before && parseResourceValue(before));
      return {
        value: {
          createdBy: actor.username,
          ...before,
          ...optionalFields(request),
          path,
          json,
          resourceType,
          editedAtMs: deps.nowMs(),
          editedBy: actor.username,
        },
        event: { type: before ? "UpdateResource" : "CreateResource", data: { path, resource_type: resourceType } },
        sent: { keepsValue: false },
      };
    };
  });
}

/** Changes the given fields of a resource; another `path` renames it. Throws as `createResource` does, `resource.notFound` and `object.versionChanged`. */
export async function updateResource(
  deps: Uses<"objects" | "dataKeys" | "httpRouteKeys" | "chatKeys" | "nowMs">,
  target: ObjectTarget,
  request: ResourceChange,
): Promise<void> {
  const { actor, workspace, path } = target;
  const to = request.path ?? path;
  await changeObject(deps, resourceKind, { ...target, to }, async () => {
    const newJson = request.value === undefined ? undefined : toResourceJsonText(request.value);
    return async (before) => {
      const resourceType = request.resource_type ?? before.resourceType;
      const json = newJson ?? before.json;
      if (newJson !== undefined) checkAddedReferences({ actor, workspace }, "value", request.value, parseResourceValue(before));
      if (newJson !== undefined || resourceType !== before.resourceType) {
        await checkResourceValue(deps, workspace, { path: to, type: resourceType, value: parseResourceValue({ path, json }) });
      }
      return {
        value: { ...before, ...optionalFields(request), path: to, json, resourceType, editedAtMs: deps.nowMs(), editedBy: actor.username },
        event: { type: "UpdateResource", data: { path: to, ...(to === path ? {} : { old_path: path }), resource_type: resourceType } },
        sent: { keepsValue: newJson === undefined },
      };
    };
  });
}

/** Deletes a resource with its extra permissions. Throws `resource.notFound`, `object.versionChanged`. */
export async function deleteResource(
  deps: Uses<"objects" | "dataKeys" | "httpRouteKeys" | "chatKeys" | "nowMs">,
  target: ObjectTarget,
): Promise<void> {
  const { path } = target;
  await removeObject(deps, resourceKind, target, async ({ resourceType }) => ({
    event: { type: "DeleteResource", data: { path, resource_type: resourceType } },
    sent: { keepsValue: false },
  }));
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
