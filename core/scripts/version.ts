import { createHash } from "node:crypto";
import * as z from "zod";
import { jsonObject } from "../../contract/common.ts";
import { defined } from "../../contract/defined.ts";
import { runnerLanguages, scriptLanguageSchema } from "../../contract/languages.ts";
import type { NewScript, ScriptJson } from "../../contract/routes/stored/script.ts";
import type { Bundle } from "../builds/bundle.ts";
import { paramTypesSchema } from "../builds/param-types.ts";
import { type ConcurrencyRule, concurrencyRuleSchema, findKeySpace, spaceOf } from "../jobs/concurrency.ts";
import { settingsShape } from "../jobs/record/run-settings.ts";
import { defineObject, inWorkspace, inWorkspaceBy, readWithBuild, sortableMs } from "../objects/define-object.ts";
import { storedBodySchema } from "../objects/stored-body.ts";

/** The build state of a version. `none`: there is no runner for the language, so the version is only stored. */
export const buildStateSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("none") }),
  z.object({ state: z.literal("pending"), job: z.string() }),
  z.object({ state: z.literal("ready"), key: z.string(), sha256: z.string(), job: z.string().optional() }),
  z.object({ state: z.literal("failed"), job: z.string(), error: z.string() }),
]);
export type BuildState = z.infer<typeof buildStateSchema>;

/** Only the fields of a version that a run needs, because they are read for every run. */
export const runnableSchema = z.object({
  workspace: z.string(),
  path: z.string(),
  hash: z.string(),
  language: scriptLanguageSchema,
  runner: z.enum(runnerLanguages).optional(),
  build: buildStateSchema,
  /** The parameters of `main` in order. `null` if they cannot be read. */
  params: z.array(z.string()).nullable(),
  paramTypes: paramTypesSchema.optional(),
  /** Webhooks call it before `main`. `params`: the names of its parameters, if they are known. */
  preprocessor: z.object({ params: z.array(z.string()).nullable() }).optional(),
  ...settingsShape("script"),
  timeoutS: z.number(),
  tag: z.string(),
  dedicated: z.boolean(),
  concurrency: concurrencyRuleSchema.optional(),
  /** The identity whose rights its runs have, instead of the caller's. */
  onBehalfOf: z.object({ email: z.string(), permissionedAs: z.string() }).optional(),
  /** The time after the reply at which the logs, arguments and result of a synchronous run are erased; 0: at once. */
  deleteAfterS: z.number().optional(),
  cacheIgnoresPaths: z.boolean().optional(),
  /** A repeated `webhook-id` starts no second job. */
  onceByWebhookId: z.boolean().optional(),
  /** Whether the workspace's error handler ignores its failures, if that was set after the version was saved. */
  errorHandlerMuted: z.boolean().optional(),
  /** The schema that the arguments of its runs must match, if its author has enabled the check. */
  inputSchema: jsonObject.optional(),
  /** The arguments that the schema marks as secret. Absent if an earlier release saved the version. */
  hiddenArgs: z.array(z.string()).optional(),
  archived: z.boolean(),
  deleted: z.boolean(),
});
export type Runnable = z.infer<typeof runnableSchema>;

/** The fields of a version that never change after it is saved, except the lock. */
export interface StoredVersion {
  sent: NewScript;
  hash: string;
  parentHashes: string[];
  createdBy: string;
  createdAtMs: number;
  inferredSchema?: Record<string, unknown>;
  /** The uploaded bundle that its runs execute, instead of its source. */
  bundle?: Bundle;
}

/**
 * Returns 16 hex digits, computed from workspace, a creation id and all settable fields as sent. The hash never changes: a lock that is
 * resolved later does not affect it, and the same content saved twice yields two versions.
 */
export function computeVersionHash(workspace: string, creationId: string, script: NewScript): string {
  const sorted = Object.entries(script).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([workspace, creationId, sorted]))
    .digest("hex")
    .slice(0, 16);
}

/** The concurrency limit defined by the fields of a script or flow at a path. */
export function toConcurrencyRule(
  { concurrency_time_window_s, concurrency_key }: Pick<NewScript, "concurrency_time_window_s" | "concurrency_key">,
  limit: number,
  path: string,
): ConcurrencyRule {
  return {
    limit,
    ...(concurrency_time_window_s ? { windowS: concurrency_time_window_s } : {}),
    ...(concurrency_key ? { key: concurrency_key, space: findKeySpace(concurrency_key, path) } : {}),
  };
}

/**
 * The concurrency limit of an inline script. Its key counts in the folder of the flow, or with the user of an unsaved flow. It cannot name
 * another folder, because previews are not checked for that right.
 */
export function toInlineConcurrencyRule(
  { custom_concurrency_key: concurrency_key, ...value }: InlineLimit,
  limit: number,
  { path, permissionedAs }: { path?: string | undefined; permissionedAs: string },
): ConcurrencyRule {
  const owner = path ?? permissionedAs;
  const { key, ...rule } = toConcurrencyRule({ ...value, concurrency_key }, limit, owner);
  return key === undefined ? rule : { ...rule, key, space: spaceOf(owner) };
}
type InlineLimit = { custom_concurrency_key?: string | null | undefined } & Pick<NewScript, "concurrency_time_window_s">;

const NOT_CONTENT = new Set(["parent_hash", "auto_parent", "deployment_message", "preserve_on_behalf_of", "skip_draft_deletion"]);

/** Returns whether saving would change nothing (`skip_if_noop`): every settable field is equal, where absent and null are the same. */
export function isNoop(stored: NewScript, submission: NewScript): boolean {
  const comparable = (script: NewScript) =>
    JSON.stringify(
      Object.entries(script)
        .filter(([key, value]) => !NOT_CONTENT.has(key) && value !== null && value !== undefined)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  return comparable(stored) === comparable(submission);
}

/**
 * Returns the lock of a version: the one that its author has sent, otherwise the one that the build has resolved. `undefined`: it is not built
 * yet.
 */
export const chooseLock = (authorLock: string | null | undefined, built: string | undefined): string | undefined =>
  authorLock || (built ?? authorLock ?? undefined);

type Schema = Record<string, unknown>;

/** Chooses the schema of the arguments: that of the author, or the one that is inferred from the code. An empty schema counts as none. */
export const chooseSchema = (stated: Schema | null | undefined, inferred: Schema | undefined): Schema | undefined =>
  stated && Object.keys(stated).length > 0 ? stated : inferred;

/** Returns the `Script` of api.md §3.1. */
export function toScriptJson(
  version: StoredVersion,
  runnable: Runnable,
  built: { lock?: string | undefined; lockErrorLogs?: string | undefined },
): ScriptJson {
  const { parent_hash, auto_parent, deployment_message, preserve_on_behalf_of, skip_draft_deletion, ...fields } = version.sent;
  const lock = chooseLock(fields.lock, built.lock);
  return {
    ...fields,
    workspace_id: runnable.workspace,
    hash: version.hash,
    ...(version.parentHashes.length > 0 ? { parent_hashes: version.parentHashes } : {}),
    created_by: version.createdBy,
    created_at: new Date(version.createdAtMs).toISOString(),
    archived: runnable.archived,
    deleted: runnable.deleted,
    is_template: fields.is_template ?? false,
    extra_perms: {},
    kind: fields.kind ?? "script",
    starred: false,
    has_preprocessor: runnable.preprocessor !== undefined || (fields.has_preprocessor ?? false),
    ws_error_handler_muted: runnable.errorHandlerMuted ?? fields.ws_error_handler_muted ?? false,
    ...defined({ inferred_schema: version.inferredSchema, lock, lock_error_logs: built.lockErrorLogs }),
  };
}

/** The fields of a script's newest version that a run needs: read for every run. */
export const scriptHeadObject = defineObject({
  name: "script",
  partition: "R",
  ...inWorkspaceBy<string>(),
  sort: () => "head",
  read: readWithBuild,
  schema: runnableSchema,
});

export const scriptVersionObject = defineObject({
  name: "version of a script",
  partition: "V",
  ...inWorkspaceBy<string>(),
  sort: () => "head",
  read: readWithBuild,
  schema: runnableSchema,
});

/** The fields of a version that are too large for the items above. */
export const scriptBodyObject = defineObject({
  name: "body of a script's version",
  partition: "V",
  ...inWorkspaceBy<string>(),
  sort: () => "body",
  schema: storedBodySchema,
});

/** The lock that the build of a version produced, or the error log. */
export const scriptLockObject = defineObject({
  name: "lock of a script's version",
  partition: "V",
  ...inWorkspaceBy<string>(),
  sort: () => "lock",
  schema: z.object({ lock: z.string().optional(), lockErrorLogs: z.string().optional() }),
});

export interface ListedScript extends Omit<NewScript, "content"> {
  hash: string;
  parentHashes: string[];
  createdBy: string;
  createdAtMs: number;
  archived: boolean;
}

/** The fields by which scripts are selected and sorted. The others are stored as sent, after validation. */
const listedFieldsSchema = z.object({
  path: z.string(),
  hash: z.string(),
  parentHashes: z.array(z.string()),
  createdAtMs: z.number(),
  archived: z.boolean(),
});

/** The list entry of a script. */
export const scriptListingObject = defineObject({
  name: "script in a list",
  partition: "S",
  ...inWorkspace,
  sort: (path: string) => path,
  schema: z.custom<ListedScript>((value) => listedFieldsSchema.safeParse(value).success),
});

/** An entry in the history of the versions saved at a path. */
export const scriptHistoryObject = defineObject({
  name: "entry in the history of a script",
  partition: "H",
  ...inWorkspaceBy<string>(),
  sort: (atMs: number, hash: string) => `${sortableMs(atMs)}#${hash}`,
  schema: z.object({ hash: z.string(), createdAtMs: z.number(), createdBy: z.string(), message: z.string().optional() }),
});
