import * as z from "zod";
import { actions } from "../../access/actions.ts";
import { atPath, extraPerms, flag, inWorkspace, jsonObject, page, runnablePath, timestamp, workspaceId } from "../../common.ts";
import { FORMAT_EXTENSION } from "../../format-extension.ts";
import { defineRoute } from "../../route.ts";

const w = "/api/w/{workspace}/resources";
const read = { method: "GET", fn: "objects", auth: "token", status: 200 } as const;
const post = { method: "POST", fn: "objects", auth: "token", status: 200 } as const;
const created = { ...post, status: 201 } as const;
const erase = { ...post, method: "DELETE" } as const;

const typeName = z.string().regex(/^[A-Za-z0-9_-]{1,100}$/, "letters, digits, '-' and '_' only, at most 100");
/** Any JSON value, required and preserved exactly. */
const anyValue = z.custom<unknown>((value) => value !== undefined, "is missing").meta({ override: { description: "Any JSON value." } });
const labels = z.array(z.string().max(100)).max(50).nullish();

export const newResourceSchema = z.object({
  path: runnablePath,
  value: anyValue.optional(),
  resource_type: typeName,
  description: z.string().max(20_000).nullish(),
  labels,
  ws_specific: z.boolean().nullish(),
});
export type NewResource = z.output<typeof newResourceSchema>;
/** Omitted fields remain unchanged. */
export const resourceChangeSchema = newResourceSchema.partial();
export type ResourceChange = z.output<typeof resourceChangeSchema>;

export const resourceSchema = z.object({
  workspace_id: z.string().optional(),
  path: z.string(),
  description: z.string().optional(),
  resource_type: z.string(),
  value: anyValue.optional(),
  is_oauth: z.boolean(),
  extra_perms: extraPerms.optional(),
  created_by: z.string().optional(),
  edited_at: timestamp.optional(),
  edited_by: z.string().optional(),
  labels: z.array(z.string()).optional(),
  ws_specific: z.boolean().optional(),
});
export type ResourceJson = z.output<typeof resourceSchema>;
export const listedResourceSchema = resourceSchema.extend({
  is_linked: z.boolean(),
  is_refreshed: z.boolean(),
  is_expired: z.boolean().optional(),
  refresh_error: z.string().optional(),
  account: z.number().optional(),
});
export type ListedResourceJson = z.output<typeof listedResourceSchema>;

export const resourceListQuery = z.object({
  ...page,
  resource_type: z.string().optional(),
  resource_type_exclude: z.string().optional(),
  path_start: z.string().optional(),
  path: z.string().optional(),
  description: z.string().optional(),
  value: z.string().optional(),
  broad_filter: z.string().optional(),
  label: z.string().optional(),
});
export type ResourceListQuery = z.output<typeof resourceListQuery>;

export const chatResourceSchema = z.object({
  path: z.string(),
  resource_type: z.string(),
  fault: z.string().optional().describe("A sentence about the reason for which the resource cannot be used. Absent: it is complete."),
  address_trust: z
    .enum(["off", "on", "inactive"])
    .describe("`inactive`: the resource has `trust_email`, but another user than an administrator has changed it or its variables."),
  callback_url: z.string().describe("The address to which the application sends the clicks of people."),
  manifest_url: z.string().optional().describe("The address of the manifest with which the application is created."),
});
export type ChatResourceJson = z.output<typeof chatResourceSchema>;

/** An empty text removes the extension. */
const formatExtension = z.union([
  z.literal(""),
  z.string().max(20).regex(FORMAT_EXTENSION, "must consist of letters, digits and dots between them"),
]);

const typeFields = {
  schema: jsonObject.nullish(),
  description: z.string().max(20_000).nullish(),
  format_extension: formatExtension.nullish(),
  is_fileset: z.boolean().nullish(),
  display_name: z.string().max(200).nullish(),
};
export const newResourceTypeSchema = z.object({ name: typeName, ...typeFields });
export type NewResourceType = z.output<typeof newResourceTypeSchema>;
export const resourceTypeChangeSchema = z.object(typeFields);
export type ResourceTypeChange = z.output<typeof resourceTypeChangeSchema>;
export const resourceTypeSchema = z.object({
  workspace_id: z.string().optional(),
  name: z.string(),
  schema: jsonObject.optional(),
  description: z.string().optional(),
  created_by: z.string().optional(),
  edited_at: timestamp.optional(),
  edited_by: z.string().optional(),
  format_extension: z.string().optional(),
  is_fileset: z.boolean().optional(),
  display_name: z.string().optional(),
});
export type ResourceTypeJson = z.output<typeof resourceTypeSchema>;

const atType = z.object({ workspace: workspaceId, name: typeName });
const saveErrors = [
  "resource.value",
  "reference.refused",
  "resource.changedMeanwhile",
  "path.noFolder",
  "workspace.notFound",
  "access.tooMuch",
] as const;
const typeErrors = ["resourceType.schema", "resourceType.changedMeanwhile", "workspace.notFound"] as const;

const listAll = { domain: "resources", verb: "read", need: "read", target: "list" } as const;
const readPath = { domain: "resources", verb: "read", need: "read", target: "path", hiddenAs: "resource.notFound" } as const;
const writePath = { domain: "resources", verb: "write", need: "write", target: "path", hiddenAs: "resource.notFound" } as const;
const memberRead = { domain: "resources", verb: "read", need: "member", target: "list" } as const;
const writeInWorkspace = { domain: "resources", verb: "write", need: "write", target: "none" } as const;

export const resourceRoutes = {
  listResources: defineRoute({
    ...read,
    name: "resources.list",
    summary: "List the resources of the workspace without their values.",
    path: `${w}/list`,
    access: listAll,
    params: inWorkspace,
    query: resourceListQuery,
    reply: { json: z.array(listedResourceSchema) },
    errors: [],
  }),
  getResource: defineRoute({
    ...read,
    name: "resources.get",
    summary: "Get a resource, without resolving references in its value.",
    path: `${w}/get/{path+}`,
    version: "shown",
    access: readPath,
    params: atPath,
    reply: { json: resourceSchema },
    errors: ["resource.notFound"],
  }),
  getResourceValue: defineRoute({
    ...read,
    name: "resources.getValue",
    summary: "Get the value of a resource, without resolving references.",
    path: `${w}/get_value/{path+}`,
    access: actions.readResource.access,
    params: atPath,
    reply: { json: anyValue },
    errors: ["resource.notFound"],
  }),
  getResourceValueInterpolated: defineRoute({
    ...read,
    name: "resources.getValueInterpolated",
    summary: "Get the value of a resource with its $var: and $res: references resolved.",
    path: `${w}/get_value_interpolated/{path+}`,
    access: readPath,
    reveals: "resource",
    params: atPath,
    query: z.object({ job_id: z.string().optional(), allow_cache: flag.optional() }),
    reply: { json: anyValue },
    errors: ["resource.notFound", "reference.unreadable", "reference.cycle", "reference.tooLarge", "reference.tooMany"],
  }),
  existsResource: defineRoute({
    ...read,
    name: "resources.exists",
    summary: "Check whether there is a resource at this path.",
    path: `${w}/exists/{path+}`,
    access: { domain: "resources", verb: "read", need: "read", target: "path", hiddenAs: false },
    params: atPath,
    reply: { json: z.boolean() },
    errors: [],
  }),
  createResource: defineRoute({
    ...created,
    name: "resources.create",
    summary: "Save a new resource. With update_if_exists=true, an existing one is overwritten.",
    path: `${w}/create`,
    access: { domain: "resources", verb: "write", need: "write", target: "request" },
    audits: { kind: "Created", resource: { body: "path" } },
    params: inWorkspace,
    query: z.object({ update_if_exists: flag.optional() }),
    body: newResourceSchema,
    reply: { text: "A confirmation." },
    errors: [...saveErrors, "resource.exists"],
  }),
  updateResource: defineRoute({
    ...post,
    name: "resources.update",
    summary: "Change a resource. Omitted fields remain unchanged. Another path renames it.",
    path: `${w}/update/{path+}`,
    version: "expected",
    access: actions.saveResource.access,
    audits: { kind: "Updated", resource: { param: "path" } },
    params: atPath,
    body: resourceChangeSchema,
    reply: { text: "A confirmation." },
    errors: [...saveErrors, "resource.notFound", "resource.exists"],
  }),
  updateResourceValue: defineRoute({
    ...post,
    name: "resources.updateValue",
    summary: "Replace a resource's value.",
    path: `${w}/update_value/{path+}`,
    version: "expected",
    access: writePath,
    operation: "resources.update",
    audits: { kind: "Updated", resource: { param: "path" } },
    params: atPath,
    body: z.object({ value: anyValue }),
    reply: { text: "A confirmation." },
    errors: [...saveErrors, "resource.notFound"],
  }),
  deleteResource: defineRoute({
    ...erase,
    name: "resources.delete",
    summary: "Delete a resource.",
    path: `${w}/delete/{path+}`,
    version: "expected",
    access: writePath,
    audits: { kind: "Delete", resource: { param: "path" } },
    params: atPath,
    reply: { text: "A confirmation." },
    errors: ["resource.notFound"],
  }),
  listResourceNames: defineRoute({
    ...read,
    name: "resources.listNames",
    summary: "List the names and paths of the resources of one type.",
    path: `${w}/list_names/{name}`,
    access: listAll,
    params: atType,
    reply: { json: z.array(z.object({ name: z.string(), path: z.string() })) },
    errors: [],
  }),
  searchResources: defineRoute({
    ...read,
    name: "resources.search",
    summary: "List all resources with their values, without resolving references.",
    path: `${w}/list_search`,
    access: listAll,
    params: inWorkspace,
    reply: { json: z.array(z.object({ path: z.string(), value: anyValue })) },
    errors: [],
  }),
  listChatResources: defineRoute({
    ...read,
    name: "resources.listChats",
    summary:
      "List the resources of chat applications: the faults for which they cannot be used, and the addresses that the applications need.",
    path: `${w}/list_chats`,
    access: listAll,
    params: inWorkspace,
    reply: { json: z.array(chatResourceSchema) },
    errors: [],
  }),
  fileResourceTypes: defineRoute({
    ...read,
    name: "resources.fileTypes",
    summary: "List the resource types whose resources are files, with their file extensions.",
    path: `${w}/file_resource_type_to_file_ext_map`,
    access: { domain: "resources", verb: "read", need: "read", target: "none" },
    params: inWorkspace,
    reply: { json: z.record(z.string(), z.object({ format_extension: z.string().optional(), is_fileset: z.boolean().optional() })) },
    errors: [],
  }),
  listResourceTypes: defineRoute({
    ...read,
    name: "resources.types.list",
    summary: "List the resource types of the workspace and the built-in ones.",
    path: `${w}/type/list`,
    access: memberRead,
    params: inWorkspace,
    reply: { json: z.array(resourceTypeSchema) },
    errors: [],
  }),
  listResourceTypeNames: defineRoute({
    ...read,
    name: "resources.types.listNames",
    summary: "List the names of all resource types.",
    path: `${w}/type/listnames`,
    access: memberRead,
    params: inWorkspace,
    reply: { json: z.array(z.string()) },
    errors: [],
  }),
  getResourceType: defineRoute({
    ...read,
    name: "resources.types.get",
    summary: "Get a resource type.",
    path: `${w}/type/get/{name}`,
    version: "shown",
    access: { domain: "resources", verb: "read", need: "member", target: "none" },
    params: atType,
    reply: { json: resourceTypeSchema },
    errors: ["resourceType.notFound"],
  }),
  existsResourceType: defineRoute({
    ...read,
    name: "resources.types.exists",
    summary: "Check whether there is a resource type with this name.",
    path: `${w}/type/exists/{name}`,
    access: memberRead,
    params: atType,
    reply: { json: z.boolean() },
    errors: [],
  }),
  createResourceType: defineRoute({
    ...created,
    name: "resources.types.create",
    summary: "Save a resource type. If it has the name of a built-in type, it replaces that type in this workspace.",
    path: `${w}/type/create`,
    access: writeInWorkspace,
    audits: { kind: "Updated", resource: { body: "name" } },
    params: inWorkspace,
    body: newResourceTypeSchema,
    reply: { text: "A confirmation." },
    errors: [...typeErrors, "resourceType.exists"],
  }),
  updateResourceType: defineRoute({
    ...post,
    name: "resources.types.update",
    summary: "Change a resource type. Omitted fields remain unchanged.",
    path: `${w}/type/update/{name}`,
    version: "expected",
    access: writeInWorkspace,
    audits: { kind: "Updated", resource: { param: "name" } },
    params: atType,
    body: resourceTypeChangeSchema,
    reply: { text: "A confirmation." },
    errors: [...typeErrors, "resourceType.notFound"],
  }),
  deleteResourceType: defineRoute({
    ...erase,
    name: "resources.types.delete",
    summary: "Delete a resource type of this workspace. Built-in types cannot be deleted.",
    path: `${w}/type/delete/{name}`,
    version: "expected",
    access: writeInWorkspace,
    audits: { kind: "Delete", resource: { param: "name" } },
    params: atType,
    reply: { text: "A confirmation." },
    errors: ["resourceType.notFound", "resourceType.builtIn"],
  }),
};
