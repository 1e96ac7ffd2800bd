import { defined } from "../../contract/defined.ts";
import { isSvcError, SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { NewResourceType, ResourceTypeChange, ResourceTypeJson } from "../../contract/routes/stored/resources.ts";
import { getVersion, type Versioned } from "../../core/objects/version.ts";
import type { Actor, WorkspaceCaller } from "../../core/people/actor.ts";
import { resourceTypeObject, type StoredType, toBuiltInTypeJson, toResourceTypeJson } from "../../core/resources/type.ts";
import type { ObjectTarget, PathKind } from "../objects/path-kind.ts";
import { removeObject } from "../objects/remove-object.ts";
import { createObject, replaceObject } from "../objects/save-object.ts";
import type { Uses } from "../uses.ts";

/** Types have a name in place of a path. Their names have no folder, and every user who may write resources may write them. */
export const resourceTypeKind: PathKind<StoredType> = {
  key: resourceTypeObject.key,
  parse: resourceTypeObject.parse,
  permissions: undefined,
  save: undefined,
  exists: (name) => new SvcError("resourceType.exists", { name }),
  notFound: (name) => new SvcError("resourceType.notFound", { name }),
  changed: (name) => new SvcError("resourceType.changedMeanwhile", { name }),
  buildCopies: undefined,
};

async function loadBuiltInTypes(): Promise<ResourceTypeJson[]> {
  const { catalogue } = await import("../../core/resources/catalogue/catalogue.ts");
  return catalogue.map(toBuiltInTypeJson);
}

/** Lists the workspace's own types, and the built-in types with other names, by name. */
export async function listResourceTypes({ objects }: Uses<"objects">, workspace: string): Promise<ResourceTypeJson[]> {
  const ownTypes = resourceTypeObject
    .parseReadable(await objects.list(resourceTypeObject.partitionKey(workspace)))
    .map((type) => toResourceTypeJson(workspace, type));
  const byName = new Map([...(await loadBuiltInTypes()), ...ownTypes].map((type) => [type.name, type]));
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Lists the names of the types that `listResourceTypes` lists. */
export async function listResourceTypeNames(deps: Uses<"objects">, workspace: string): Promise<string[]> {
  return (await listResourceTypes(deps, workspace)).map(({ name }) => name);
}

/** Returns the types whose resources are files or sets of files, by name. */
export async function listFileTypes(
  deps: Uses<"objects">,
  workspace: string,
): Promise<Record<string, Pick<ResourceTypeJson, "format_extension" | "is_fileset">>> {
  const files = (await listResourceTypes(deps, workspace)).filter((type) => type.format_extension || type.is_fileset);
  return Object.fromEntries(files.map(({ name, format_extension, is_fileset }) => [name, { format_extension, is_fileset }]));
}

/** Returns whether a type with this name exists, the workspace's own or a built-in one. */
export async function resourceTypeExists(deps: Uses<"objects">, workspace: string, name: string): Promise<boolean> {
  return (await findResourceType(deps, workspace, name)) !== undefined;
}

/** Returns the type with this name, the workspace's own or a built-in one; `undefined` if there is none. */
async function findResourceType(deps: Uses<"objects">, workspace: string, name: string): Promise<ResourceTypeJson | undefined> {
  try {
    return (await getResourceType(deps, workspace, name)).json;
  } catch (error) {
    if (isSvcError(error) && error.code === "resourceType.notFound") return undefined;
    throw error;
  }
}

/** Returns the type with this name. A built-in one has the version of an object that is stored without one. Throws `resourceType.notFound`. */
export async function getResourceType(deps: Uses<"objects">, workspace: string, name: string): Promise<Versioned<ResourceTypeJson>> {
  const found = await deps.objects.get(resourceTypeObject.key(workspace, name));
  const json = found
    ? toResourceTypeJson(workspace, resourceTypeObject.parse(found))
    : (await loadBuiltInTypes()).find((type) => type.name === name);
  if (!json) throw new SvcError("resourceType.notFound", { name });
  return { json, version: getVersion(found ?? {}) };
}

/** Checks a value against the schema of its type, if the type is known and has one. Throws `resource.value`. */
export async function checkResourceValue(
  deps: Uses<"objects">,
  workspace: string,
  { path, type, value }: { path: string; type: string; value: unknown },
): Promise<void> {
  if (type === "any" || type === "state") return;
  const schema = (await findResourceType(deps, workspace, type))?.schema;
  if (!schema) return;
  const { findValueIssues: valueIssues } = await import("../../core/resources/value-check.ts");
  const issues = valueIssues(schema, value);
  if (issues.length > 0) throw new SvcError("resource.value", { path, type, issues });
}

/** Creates a type of the workspace. Throws `resourceType.exists`, `resourceType.schema`, `body.tooLarge`, `workspace.notFound`. */
export async function createResourceType(
  deps: Uses<"objects" | "nowMs">,
  caller: WorkspaceCaller,
  request: NewResourceType,
): Promise<void> {
  const { name } = request;
  await createObject(deps, resourceTypeKind, { ...caller, path: name }, async () => {
    const fields = await optionalFields(name, request);
    return async () => ({
      value: { name, ...fields, createdBy: caller.actor.username, editedAtMs: deps.nowMs(), editedBy: caller.actor.username },
      event: { type: "CreateResourceType", data: { name } },
      sent: undefined,
    });
  });
}

/**
 * Changes the given fields of a type. A change of a built-in type creates one of the workspace's own. Throws as `createResourceType` does,
 * `resourceType.notFound` and `object.versionChanged`.
 */
export async function updateResourceType(
  deps: Uses<"objects" | "nowMs">,
  target: ObjectTarget,
  request: ResourceTypeChange,
): Promise<void> {
  const { actor, workspace, path: name } = target;
  await replaceObject(deps, resourceTypeKind, target, async () => {
    const changes = await optionalFields(name, request);
    return async (before) => ({
      value: {
        ...(before ?? (await copyBuiltInType(deps, actor, workspace, name))),
        ...changes,
        editedAtMs: deps.nowMs(),
        editedBy: actor.username,
      },
      event: { type: "UpdateResourceType", data: { name } },
      sent: undefined,
    });
  });
}

/** Returns a copy of a built-in type, to be stored as the workspace's own. */
async function copyBuiltInType(deps: Uses<"objects" | "nowMs">, actor: Actor, workspace: string, name: string): Promise<StoredType> {
  const { description, schema } = (await getResourceType(deps, workspace, name)).json;
  return {
    name,
    ...defined({ description }),
    ...(schema === undefined ? {} : { schemaJson: JSON.stringify(schema) }),
    createdBy: actor.username,
    editedAtMs: deps.nowMs(),
  };
}

/**
 * Deletes a type of the workspace. Its resources remain and are no longer checked. Throws `resourceType.notFound`, `resourceType.builtIn` and
 * `object.versionChanged`.
 */
export async function deleteResourceType(deps: Uses<"objects" | "nowMs">, target: ObjectTarget): Promise<void> {
  const { path: name } = target;
  const isBuiltIn = (await loadBuiltInTypes()).some((type) => type.name === name);
  const kind = { ...resourceTypeKind, ...(isBuiltIn ? { notFound: () => new SvcError("resourceType.builtIn", { name }) } : {}) };
  await removeObject(deps, kind, target, async () => ({ event: { type: "DeleteResourceType", data: { name } }, sent: undefined }));
}

/** Throws `resourceType.schema`, `body.tooLarge`. */
async function optionalFields(name: string, request: ResourceTypeChange): Promise<Partial<StoredType>> {
  const { schema, description, format_extension, is_fileset, display_name } = request;
  return {
    ...(schema == null ? {} : { schemaJson: await toSchemaJson(name, schema) }),
    ...(description == null ? {} : { description }),
    ...(format_extension == null ? {} : { formatExtension: format_extension }),
    ...(is_fileset == null ? {} : { isFileset: is_fileset }),
    ...(display_name == null ? {} : { displayName: display_name }),
  };
}

async function toSchemaJson(name: string, schema: Record<string, unknown>): Promise<string> {
  const json = JSON.stringify(schema);
  if (Buffer.byteLength(json) > limits.resourceTypeBytes)
    throw new SvcError("body.tooLarge", { limitBytes: limits.resourceTypeBytes, what: "schema" });
  const { describeSchemaProblem: schemaProblem } = await import("../../core/resources/value-check.ts");
  const reason = schemaProblem(schema);
  if (reason !== undefined) throw new SvcError("resourceType.schema", { name, reason });
  return json;
}
