import { randomUUID } from "node:crypto";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { SvcError } from "../../contract/errors.ts";
import type { WorkspaceEvent } from "../../contract/events.ts";
import { limits } from "../../contract/limits.ts";
import type { NewResourceType, ResourceTypeChange, ResourceTypeJson } from "../../contract/routes/stored/resources.ts";
import { keys } from "../../core/objects/keys.ts";
import { write } from "../../core/objects/write.ts";
import type { Actor } from "../../core/people/actor.ts";
import { type StoredType, storedTypeSchema, toBuiltInTypeJson, toResourceTypeJson } from "../../core/resources/type.ts";
import { commitParts, type Part, retryOnConflict } from "../outbox/commit-parts.ts";
import { buildEventWrite } from "../outbox/event.ts";

interface SaveTypeDeps {
  objects: ObjectTable;
  nowMs: () => number;
}
type ReadTypeDeps = Pick<SaveTypeDeps, "objects">;

const changed = (name: string) => new SvcError("resourceType.changedMeanwhile", { name });

async function builtIns(): Promise<ResourceTypeJson[]> {
  const { catalogue } = await import("../../core/resources/catalogue/catalogue.ts");
  return catalogue.map(toBuiltInTypeJson);
}

/** The workspace's own types and, where it has none of that name, the built-in ones. By name. */
export async function listResourceTypes({ objects }: ReadTypeDeps, workspace: string): Promise<ResourceTypeJson[]> {
  const own = (await objects.list(keys.resourceType(workspace, "").pk)).map(({ value }) =>
    toResourceTypeJson(workspace, storedTypeSchema.parse(value)),
  );
  const byName = new Map([...(await builtIns()), ...own].map((type) => [type.name, type]));
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

export async function findResourceType({ objects }: ReadTypeDeps, workspace: string, name: string): Promise<ResourceTypeJson | undefined> {
  const found = await objects.get(keys.resourceType(workspace, name));
  if (found) return toResourceTypeJson(workspace, storedTypeSchema.parse(found.value));
  return (await builtIns()).find((type) => type.name === name);
}

/** Throws `resourceType.notFound`. */
export async function getResourceType(reading: ReadTypeDeps, workspace: string, name: string): Promise<ResourceTypeJson> {
  const type = await findResourceType(reading, workspace, name);
  if (!type) throw new SvcError("resourceType.notFound", { name });
  return type;
}

/** Throws `resource.value` when the type is registered and has a schema that the value does not fit. */
export async function checkResourceValue(
  reading: ReadTypeDeps,
  workspace: string,
  path: string,
  type: string,
  value: unknown,
): Promise<void> {
  if (type === "any" || type === "state") return;
  const schema = (await findResourceType(reading, workspace, type))?.schema;
  if (!schema) return;
  const { findValueIssues: valueIssues } = await import("../../core/resources/value-check.ts");
  const issues = valueIssues(schema, value);
  if (issues.length > 0) throw new SvcError("resource.value", { path, type, issues });
}

/** Throws `resourceType.exists`, `resourceType.schema`, `body.tooLarge`, `workspace.notFound`. */
export async function createResourceType(saving: SaveTypeDeps, actor: Actor, workspace: string, asked: NewResourceType): Promise<void> {
  const { name } = asked;
  const type: StoredType = { name, ...(await settable(name, asked)), createdBy: actor.username, editedAtMs: saving.nowMs() };
  await commitParts(saving.objects, [
    { write: write.check(keys.workspace(workspace), "present"), refused: new SvcError("workspace.notFound", { workspace }) },
    {
      write: write.put({ ...keys.resourceType(workspace, name), value: type, version: randomUUID() }, "absent"),
      refused: new SvcError("resourceType.exists", { name }),
    },
    event(saving, actor, "CreateResourceType", workspace, name),
  ]);
}

/** Changes what is sent and keeps the rest. Changing a built-in type makes one of the workspace's own. Throws `resourceType.notFound` as well. */
export async function updateResourceType(
  saving: SaveTypeDeps,
  actor: Actor,
  workspace: string,
  name: string,
  asked: ResourceTypeChange,
): Promise<void> {
  const sent = await settable(name, asked);
  await retryOnConflict(
    async () => {
      const found = await saving.objects.get(keys.resourceType(workspace, name));
      const before = found ? storedTypeSchema.parse(found.value) : await ownOf(saving, actor, workspace, name);
      const value: StoredType = { ...before, ...sent, editedAtMs: saving.nowMs() };
      const expect = found ? { version: found.version ?? "" } : "absent";
      const stored = await commitParts(saving.objects, [
        { write: write.check(keys.workspace(workspace), "present"), refused: new SvcError("workspace.notFound", { workspace }) },
        { write: write.put({ ...keys.resourceType(workspace, name), value, version: randomUUID() }, expect), refused: undefined },
        event(saving, actor, "UpdateResourceType", workspace, name),
      ]);
      return stored ? { done: undefined } : undefined;
    },
    () => changed(name),
  );
}

/** A built-in type as the workspace's own, to be changed. */
async function ownOf(saving: SaveTypeDeps, actor: Actor, workspace: string, name: string): Promise<StoredType> {
  const { description, schema } = await getResourceType(saving, workspace, name);
  return {
    name,
    ...(description === undefined ? {} : { description }),
    ...(schema === undefined ? {} : { schemaJson: JSON.stringify(schema) }),
    createdBy: actor.username,
    editedAtMs: saving.nowMs(),
  };
}

/** Throws `resourceType.notFound`, `resourceType.builtIn`. Resources of the type stay, and are checked no more. */
export async function deleteResourceType(saving: SaveTypeDeps, actor: Actor, workspace: string, name: string): Promise<void> {
  const refused = (await builtIns()).some((type) => type.name === name)
    ? new SvcError("resourceType.builtIn", { name })
    : new SvcError("resourceType.notFound", { name });
  await commitParts(saving.objects, [
    { write: write.remove(keys.resourceType(workspace, name), "present"), refused },
    event(saving, actor, "DeleteResourceType", workspace, name),
  ]);
}

/** Throws `resourceType.schema`, `body.tooLarge`. */
async function settable(name: string, asked: ResourceTypeChange): Promise<Partial<StoredType>> {
  const { schema, description, format_extension, is_fileset, display_name } = asked;
  return {
    ...(schema == null ? {} : { schemaJson: await checkedSchema(name, schema) }),
    ...(description == null ? {} : { description }),
    ...(format_extension == null ? {} : { formatExtension: format_extension }),
    ...(is_fileset == null ? {} : { isFileset: is_fileset }),
    ...(display_name == null ? {} : { displayName: display_name }),
  };
}

async function checkedSchema(name: string, schema: Record<string, unknown>): Promise<string> {
  const json = JSON.stringify(schema);
  if (Buffer.byteLength(json) > limits.resourceTypeBytes)
    throw new SvcError("body.tooLarge", { limitBytes: limits.resourceTypeBytes, what: "schema" });
  const { describeSchemaProblem: schemaProblem } = await import("../../core/resources/value-check.ts");
  const reason = schemaProblem(schema);
  if (reason !== undefined) throw new SvcError("resourceType.schema", { name, reason });
  return json;
}

const event = ({ nowMs }: SaveTypeDeps, actor: Actor, type: WorkspaceEvent["type"], workspace: string, object: string): Part => ({
  write: buildEventWrite({ type, workspace, object, by: actor.username, atMs: nowMs() }),
  refused: undefined,
});
