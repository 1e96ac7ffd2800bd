import * as z from "zod";
import { anyJson, handlerPath, jsonObject, runnablePath } from "../../common.ts";
import { limits } from "../../limits.ts";
import { failureNoticesSchema } from "./failure-notices.ts";

export const autoInviteSchema = z.object({
  enabled: z.boolean(),
  /** `*`: every e-mail address. */
  domain: z.string(),
  operator: z.boolean(),
  mode: z.enum(["add", "invite"]),
  /** Stored for other clients: groups of the instance and their roles. This service does not read them. */
  instance_groups: anyJson.optional(),
  instance_groups_roles: anyJson.optional(),
});
export type AutoInvite = z.output<typeof autoInviteSchema>;
export const autoInviteRequestSchema = z.object({
  operator: z.boolean().nullish(),
  invite_all: z.boolean().nullish(),
  auto_add: z.boolean().nullish(),
  instance_groups: anyJson.nullish(),
  instance_groups_roles: anyJson.nullish(),
});
export type AutoInviteRequest = z.output<typeof autoInviteRequestSchema>;
/** A resource of type `s3` contains the bucket and its keys. */
const s3Storage = z.object({
  type: z.literal("S3Storage"),
  s3_resource_path: z
    .string()
    .transform((path) => path.replace(/^\$res:/, ""))
    .pipe(runnablePath),
  /** Every member may read the resource's keys (`v2/s3_resource_info`), not only members who may read the resource. */
  public_resource: z.boolean().nullish(),
  /** Rules that are not paths are not supported. They are rejected, because ignoring them would grant access. */
  advanced_permissions: z.null("is not supported: files under u/<user>/ and f/<folder>/ have the permissions of these paths").optional(),
});
const secondary_storage = z
  .record(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$/, "letters, digits, '-' and '_', starting with a letter or digit"), s3Storage)
  .nullish();

/** `stack`: the deployment's own bucket, which is the default. `none`: no files. */
export const fileStorageSchema = z.discriminatedUnion("type", [
  s3Storage.extend({ secondary_storage }),
  z.object({ type: z.literal("stack"), secondary_storage }),
  z.object({ type: z.literal("none") }),
]);
export type FileStorage = z.output<typeof fileStorageSchema>;
export type S3Storage = z.output<typeof s3Storage>;

/** `every_get_counts`: a `GET` request by a browser decides, and therefore also a `GET` request by a link scanner. */
export const approvalSettingsSchema = z.object({ every_get_counts: z.boolean() });

/** The status of a failed run's reply. Senders of webhooks repeat a request only after a status from 500. */
export const failedStatus = z.union([z.literal(200), z.int().min(400).max(599)], "must be 200, or a status from 400 to 599");
export const failedRunsSchema = z.object({ status: failedStatus });

export const handlerArgs = jsonObject.refine(
  (args) => JSON.stringify(args).length <= limits.handlerArgsBytes,
  `must have at most ${limits.handlerArgsBytes / 1024} KB`,
);
const successHandlerSchema = z.object({ path: handlerPath, extra_args: handlerArgs.optional() });
export const errorHandlerSchema = successHandlerSchema.extend({
  /** The handler ignores canceled jobs. */
  muted_on_cancel: z.boolean().optional(),
  /** The handler ignores scripts and flows under `u/<user>/`. */
  muted_on_user_path: z.boolean().optional(),
});
export type ErrorHandler = z.output<typeof errorHandlerSchema>;

/**
 * Settings that this service stores for other clients and does not read. Each value is returned exactly as it was sent. The texts are paths in
 * any form, because a synchronised workspace may come from another server.
 */
export const opaqueSettingsSchema = z
  .object({
    default_app: z.string().max(limits.settingPathChars),
    default_scripts: jsonObject,
    git_sync: jsonObject,
    slack_command_script: z.string().max(limits.settingPathChars),
    operator_settings: jsonObject,
    datatable: jsonObject,
    mute_critical_alerts: z.boolean(),
    deploy_ui: jsonObject,
  })
  .partial();
export type OpaqueSettings = z.output<typeof opaqueSettingsSchema>;

/** The settings of a workspace. */
export const settingsSchema = opaqueSettingsSchema.extend({
  workspace_id: z.string(),
  name: z.string(),
  color: z.string().optional(),
  auto_invite: autoInviteSchema.optional(),
  large_file_storage: fileStorageSchema.optional(),
  approvals: approvalSettingsSchema.optional(),
  failed_runs: failedRunsSchema.optional(),
  /** The URL that receives the workspace's events, and their types. `null`: all types. */
  webhook: z.string().optional(),
  events: z.array(z.string()).nullable().optional(),
  error_handler: errorHandlerSchema.optional(),
  success_handler: successHandlerSchema.optional(),
  failure_notices: failureNoticesSchema.optional(),
});
/** The settings that every member may know. */
export const publicSettingsSchema = settingsSchema.pick({ workspace_id: true, name: true, color: true }).extend({
  large_file_storage: z
    .object({ type: z.string(), names: z.array(z.string()).optional().describe("The names of the further storages.") })
    .optional(),
});

export type PublicSettingsJson = z.output<typeof publicSettingsSchema>;

/** The work of a workspace by day (UTC) and kind of job. `complete` is false if there were more jobs than one call reads. */
export const usageSchema = z.object({
  since: z.string(),
  complete: z.boolean(),
  days: z.array(z.object({ day: z.string(), kind: z.string(), jobs: z.int(), seconds: z.number() })),
});
export type UsageJson = z.output<typeof usageSchema>;

export type SettingsJson = z.output<typeof settingsSchema>;
