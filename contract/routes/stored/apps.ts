import * as z from "zod";
import { actions } from "../../access/actions.ts";
import { atPath, extraPerms, flag, inWorkspace, page, runnablePath, timestamp, workspaceId } from "../../common.ts";
import { defineRoute } from "../../route.ts";
import { executionMode, policySchema } from "./app-policy.ts";

const w = "/api/w/{workspace}/apps";
const read = { method: "GET", fn: "objects", auth: "token", status: 200 } as const;
const post = { method: "POST", fn: "objects", auth: "token", status: 200 } as const;

/** An app's version: an integer that increases with each version. */
const appVersion = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER);
/** The editor's data, returned exactly as sent. */
const opaque = z.custom<unknown>((value) => value !== undefined, "is missing").meta({ override: { description: "Any JSON value." } });

const customPath = z
  .string()
  .max(250)
  .regex(/^[A-Za-z0-9_-]+(\/[A-Za-z0-9_-]+)*$/, "must be words of letters, digits, '-' and '_', separated by '/'");

export const newAppSchema = z.object({
  path: runnablePath,
  value: opaque,
  summary: z.string().max(1000),
  policy: policySchema,
  deployment_message: z.string().max(1000).nullish(),
  custom_path: customPath.nullish(),
  labels: z.array(z.string().max(100)).max(50).nullish(),
  preserve_on_behalf_of: z.boolean().nullish(),
  skip_draft_deletion: z.boolean().nullish(),
});
export type NewApp = z.output<typeof newAppSchema>;
/** Omitted fields remain unchanged. An empty `custom_path` removes it. */
export const appChangeSchema = newAppSchema.extend({ custom_path: z.union([customPath, z.literal("")]).nullish() }).partial();
export type AppChange = z.output<typeof appChangeSchema>;

const shared = {
  id: z.number(),
  workspace_id: workspaceId,
  path: z.string(),
  summary: z.string(),
  execution_mode: executionMode,
  extra_perms: extraPerms,
  custom_path: z.string().optional(),
  raw_app: z.boolean(),
  labels: z.array(z.string()).optional(),
};
export const appSchema = z.object({
  ...shared,
  versions: z.array(z.number()).describe("All versions, oldest first."),
  created_by: z.string(),
  created_at: timestamp,
  value: opaque,
  policy: policySchema,
});
export type AppJson = z.output<typeof appSchema>;
export const listedAppSchema = z.object({
  ...shared,
  version: z.number(),
  edited_at: timestamp,
  edited_by: z.string().optional(),
  starred: z.boolean(),
});
export type ListedAppJson = z.output<typeof listedAppSchema>;

const historyItem = z.object({
  version: z.number(),
  deployment_msg: z.string().optional(),
  created_at: timestamp,
  created_by: z.string(),
});
export type AppHistoryJson = z.output<typeof historyItem>;

export const appListQuery = z.object({
  ...page,
  order_desc: flag.optional(),
  created_by: z.string().optional(),
  path_start: z.string().optional(),
  path_exact: z.string().optional(),
  starred_only: flag.optional().describe("Only those that you have starred."),
  include_draft_only: flag.optional().describe("Has no effect: every stored version is deployed."),
  label: z.string().optional(),
});
export type AppListQuery = z.output<typeof appListQuery>;

const saveErrors = [
  "app.customPathTaken",
  "app.changedMeanwhile",
  "path.noFolder",
  "workspace.notFound",
  "access.tooMuch",
  "script.notOnBehalf",
  "user.notFound",
  "reference.refused",
] as const;
const readPath = actions.readApp.access;

export const appRoutes = {
  listApps: defineRoute({
    ...read,
    name: "apps.list",
    summary: "List the newest version of each app, without its value.",
    path: `${w}/list`,
    access: { domain: "apps", verb: "read", need: "read", target: "list" },
    params: inWorkspace,
    query: appListQuery,
    reply: { json: z.array(listedAppSchema) },
    errors: [],
  }),
  existsApp: defineRoute({
    ...read,
    name: "apps.exists",
    summary: "Check whether there is an app at a path.",
    path: `${w}/exists/{path+}`,
    access: { domain: "apps", verb: "read", need: "read", target: "path", hiddenAs: false },
    params: atPath,
    reply: { json: z.boolean() },
    errors: [],
  }),
  getApp: defineRoute({
    ...read,
    name: "apps.get",
    summary: "Get the newest version of an app.",
    path: `${w}/get/p/{path+}`,
    version: "shown",
    access: readPath,
    params: atPath,
    reply: { json: appSchema },
    errors: ["app.notFound"],
  }),
  getAppVersion: defineRoute({
    ...read,
    name: "apps.getByVersion",
    summary: "Get an app with the value of an exact version.",
    path: `${w}/get/v/{version}`,
    access: { domain: "apps", verb: "read", need: "read", target: "version", hiddenAs: "app.versionNotFound" },
    params: z.object({ workspace: workspaceId, version: appVersion }),
    reply: { json: appSchema },
    errors: ["app.versionNotFound"],
  }),
  appHistory: defineRoute({
    ...read,
    name: "apps.history",
    summary: "List the versions of an app, newest first.",
    path: `${w}/history/p/{path+}`,
    access: readPath,
    params: atPath,
    reply: { json: z.array(historyItem) },
    errors: ["app.notFound"],
  }),
  createApp: defineRoute({
    ...post,
    name: "apps.create",
    summary: "Save a new app.",
    path: `${w}/create`,
    access: { domain: "apps", verb: "write", need: "write", target: "request" },
    audits: { kind: "Created", resource: { body: "path" } },
    params: inWorkspace,
    body: newAppSchema,
    status: 201,
    reply: { text: "The app's path." },
    errors: ["app.exists", ...saveErrors],
  }),
  updateApp: defineRoute({
    ...post,
    name: "apps.update",
    summary: "Change an app. Omitted fields remain unchanged, a value is a new version, and another path renames the app.",
    path: `${w}/update/{path+}`,
    version: "expected",
    access: actions.saveApp.access,
    audits: { kind: "Updated", resource: { param: "path" } },
    params: atPath,
    body: appChangeSchema,
    reply: { json: z.object({ path: z.string(), version: z.number() }) },
    errors: ["app.notFound", "app.exists", "identity.fieldsMissing", ...saveErrors],
  }),
  deleteApp: defineRoute({
    ...post,
    method: "DELETE",
    name: "apps.delete",
    summary: "Delete an app with all its versions. The request also succeeds if the app does not exist.",
    path: `${w}/delete/{path+}`,
    version: "expected",
    access: { domain: "apps", verb: "write", need: "write", target: "path", hiddenAs: "app.notFound" },
    audits: { kind: "Delete", resource: { param: "path" } },
    params: atPath,
    reply: { text: "A confirmation." },
    errors: ["app.notFound", "app.changedMeanwhile"],
  }),
};
