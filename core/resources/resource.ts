import * as z from "zod";
import { defined } from "../../contract/defined.ts";
import type { ListedResourceJson, ResourceJson, ResourceListQuery } from "../../contract/routes/stored/resources.ts";
import { isJsonSubset, matchesList } from "../jobs/lists/filter.ts";
import { defineObject, inWorkspace, sortByPath } from "../objects/define-object.ts";
import { tryParseJson } from "../payload/json.ts";
import { parseJson } from "../records/record-format.ts";

/** A stored resource. Its value is JSON text, so that every key and number is returned as it was sent. */
export const storedResourceSchema = z.object({
  path: z.string(),
  json: z.string(),
  resourceType: z.string(),
  description: z.string().optional(),
  labels: z.array(z.string()).optional(),
  wsSpecific: z.boolean().optional(),
  createdBy: z.string(),
  editedAtMs: z.number(),
  /** Absent in records of earlier releases. */
  editedBy: z.string().optional(),
});
export type StoredResource = z.infer<typeof storedResourceSchema>;

/** The value of a resource. Throws `UnreadableRecordError` where its text is not JSON. */
export const parseResourceValue = ({ path, json }: Pick<StoredResource, "path" | "json">): unknown =>
  parseJson({ parent: "resources", ref: path, json });

function withoutValue(workspace: string, resource: StoredResource): ResourceJson {
  const { path, resourceType, description, labels, wsSpecific, createdBy, editedAtMs, editedBy } = resource;
  return {
    workspace_id: workspace,
    path,
    resource_type: resourceType,
    ...defined({ description }),
    is_oauth: false,
    extra_perms: {},
    created_by: createdBy,
    edited_at: new Date(editedAtMs).toISOString(),
    ...defined({ edited_by: editedBy, labels, ws_specific: wsSpecific }),
  };
}

/** Returns the `Resource` of api.md §3.3. */
export function toResourceJson(workspace: string, resource: StoredResource): ResourceJson {
  return { ...withoutValue(workspace, resource), value: parseResourceValue(resource) };
}

/** The fields of the variable at the same path that a resource shows. */
interface LinkedVariable {
  account?: number | undefined;
  is_refreshed: boolean;
  is_expired?: boolean;
  refresh_error?: string;
}

/**
 * Returns the `Resource` for lists, without the value, which may contain passwords. The variable at the same path is its linked variable.
 */
export function toListedResourceJson(workspace: string, resource: StoredResource, linked: LinkedVariable | undefined): ListedResourceJson {
  const { account, ...refresh } = linked ?? { is_refreshed: false };
  return {
    ...withoutValue(workspace, resource),
    is_linked: linked !== undefined,
    ...refresh,
    ...(account === undefined ? {} : { account, is_oauth: true }),
  };
}

const holds = (text: string | undefined, part: string) => (text ?? "").toLowerCase().includes(part.toLowerCase());

/** A JSON filter matches a subset of the value. Any other text matches anywhere in the value. */
function valueHolds({ path, json }: Pick<StoredResource, "path" | "json">, filter: string): boolean {
  const subset = tryParseJson(filter)?.json;
  return typeof subset === "object" && subset !== null ? isJsonSubset(subset, parseResourceValue({ path, json })) : holds(json, filter);
}

/** Returns whether a resource matches every filter of `resources/list`. */
export function matchesResource({ path, json, resourceType, description, labels = [] }: StoredResource, query: ResourceListQuery): boolean {
  const { broad_filter: broad } = query;
  return (
    matchesList(query.resource_type, resourceType) &&
    !query.resource_type_exclude?.split(",").includes(resourceType) &&
    (query.path_start === undefined || path.startsWith(query.path_start)) &&
    (query.path === undefined || path === query.path) &&
    (query.description === undefined || holds(description, query.description)) &&
    (query.value === undefined || valueHolds({ path, json }, query.value)) &&
    (query.label === undefined || labels.includes(query.label)) &&
    (broad === undefined || holds(path, broad) || holds(description, broad) || holds(resourceType, broad) || holds(json, broad))
  );
}

export const resourceObject = defineObject({
  name: "resource",
  partition: "RES",
  ...inWorkspace,
  sort: sortByPath,
  schema: storedResourceSchema,
});
