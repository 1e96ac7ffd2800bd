import * as z from "zod";
import { defined } from "../../contract/defined.ts";
import { type AppPolicy, policySchema } from "../../contract/routes/stored/app-policy.ts";
import type { AppJson, AppListQuery, ListedAppJson } from "../../contract/routes/stored/apps.ts";
import { defineObject, inWorkspace, inWorkspaceBy, sortableNumber, sortByPath } from "../objects/define-object.ts";
import { parseRecord } from "../records/record-format.ts";

/** An app without the values of its versions. */
export const storedAppSchema = z.object({
  /** Remains the same when the app is renamed. */
  id: z.number(),
  path: z.string(),
  /** The newest version. */
  version: z.number(),
  summary: z.string(),
  /** The policy as JSON text: its further fields may have any names, which the table's client would not preserve. */
  policyJson: z.string(),
  customPath: z.string().optional(),
  labels: z.array(z.string()).optional(),
  /** The author of the newest version. */
  createdBy: z.string(),
  createdAtMs: z.number(),
  editedAtMs: z.number(),
  /** The author of the last change, also of one that made no version. Absent in records of earlier releases. */
  editedBy: z.string().optional(),
});
export type StoredApp = z.infer<typeof storedAppSchema>;

/** A version of an app: its value as JSON text, or the location of the text in S3. */
export const appVersionSchema = z.object({
  app: z.number(),
  createdBy: z.string(),
  createdAtMs: z.number(),
  json: z.string().optional(),
  s3Key: z.string().optional(),
});
export type StoredAppVersion = z.infer<typeof appVersionSchema>;

/** An entry in the history of an app. */
const appHistorySchema = z.object({
  version: z.number(),
  createdBy: z.string(),
  createdAtMs: z.number(),
  message: z.string().optional(),
});

/** Returns the policy of an app. Throws `UnreadableRecordError`. */
export const parsePolicy = ({ path, policyJson }: Pick<StoredApp, "path" | "policyJson">): AppPolicy =>
  parseRecord(policySchema, { parent: "the app", ref: path, json: policyJson });

const toShared = (workspace: string, app: StoredApp) => ({
  id: app.id,
  workspace_id: workspace,
  path: app.path,
  summary: app.summary,
  execution_mode: parsePolicy(app).execution_mode,
  ...defined({ custom_path: app.customPath }),
  raw_app: false,
  ...defined({ labels: app.labels }),
});

interface AppParts {
  versions: number[];
  version: Pick<StoredAppVersion, "createdBy" | "createdAtMs">;
  value: unknown;
  extraPerms: Record<string, boolean>;
}

/** Returns the `App` of api.md §3.9. */
export function toAppJson(workspace: string, app: StoredApp, { versions, version, value, extraPerms }: AppParts): AppJson {
  return {
    ...toShared(workspace, app),
    versions,
    created_by: version.createdBy,
    created_at: new Date(version.createdAtMs).toISOString(),
    value,
    policy: parsePolicy(app),
    extra_perms: extraPerms,
  };
}

/** Returns the list entry of an app, without the star of the caller. */
export function toListedAppJson(workspace: string, app: StoredApp, extraPerms: Record<string, boolean>): Omit<ListedAppJson, "starred"> {
  const { version, editedAtMs, editedBy } = app;
  const edit = { edited_at: new Date(editedAtMs).toISOString(), ...defined({ edited_by: editedBy }) };
  return { ...toShared(workspace, app), version, ...edit, extra_perms: extraPerms };
}

/** Returns whether an app matches the filters of `apps/list`. */
export const matchesApp = ({ path, createdBy, labels }: StoredApp, query: AppListQuery): boolean =>
  (query.path_start === undefined || path.startsWith(query.path_start)) &&
  (query.path_exact === undefined || path === query.path_exact) &&
  (query.created_by === undefined || createdBy === query.created_by) &&
  (query.label === undefined || (labels ?? []).includes(query.label));

export const appObject = defineObject({ name: "app", partition: "APP", ...inWorkspace, sort: sortByPath, schema: storedAppSchema });

/** The path of an app by its id, because a version names only its app. */
export const appPathObject = defineObject({
  name: "path of an app",
  partition: "APPID",
  ...inWorkspace,
  sort: (app: number) => String(app),
  schema: z.object({ path: z.string() }),
});

export const appVersionObject = defineObject({
  name: "version of an app",
  partition: "APPV",
  ...inWorkspace,
  sort: (version: number) => String(version),
  schema: appVersionSchema,
});

export const appHistoryObject = defineObject({
  name: "entry in the history of an app",
  partition: "APPH",
  ...inWorkspaceBy<number>(),
  sort: (version: number) => sortableNumber(version),
  schema: appHistorySchema,
});

/** The app of a custom path. */
export const appCustomPathObject = defineObject({
  name: "custom path of an app",
  partition: "APPC",
  ...inWorkspace,
  sort: (customPath: string) => customPath,
  schema: z.object({ app: z.number() }),
});

/** A deleted app, some of whose versions still have to be removed. */
export const deletedAppObject = defineObject({
  name: "deleted app",
  partition: "APPD",
  ...inWorkspace,
  sort: (path: string, app: number | "") => `${sortByPath(path)}#${app}`,
  schema: z.object({ app: z.number() }),
});
