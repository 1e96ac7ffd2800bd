import * as z from "zod";
import { extraPerms, handlerPath, jsonObject, runnablePath, timestamp } from "../../common.ts";
import { retrySchema } from "../../flows/flow-value.ts";
import { deliveryRuleSchema } from "./delivery-rule.ts";
import { authenticationMethodSchema, httpFields, httpFieldsSchema, httpMethodSchema, requestTypeSchema } from "./http-fields.ts";
import { triggerModeSchema } from "./trigger-kind.ts";

const labels = z.array(z.string().max(100)).max(50);
const text = (max: number) => z.string().max(max);

const commonFields = {
  path: runnablePath,
  script_path: runnablePath,
  is_flow: z.boolean(),
  mode: triggerModeSchema.nullish(),
  /** The older form of `mode`, which clients still send. */
  enabled: z.boolean().nullish(),
  permissioned_as: text(255).nullish(),
  preserve_permissioned_as: z.boolean().nullish(),
  labels: labels.nullish(),
  error_handler_path: handlerPath.nullish(),
  error_handler_args: jsonObject.nullish(),
  retry: retrySchema.nullish(),
};

const queueUrl = text(2000).regex(/^https?:\/\/[^/?#\s@]+\/(?:[^?#\s]*\/)?\d{12}\/[A-Za-z0-9_-]{1,80}(\.fifo)?$/, {
  error: "must be the URL of an SQS queue, such as https://sqs.eu-west-1.amazonaws.com/123456789012/orders",
});
const sqsFields = {
  queue_url: queueUrl,
  aws_auth_resource_type: z.enum(["credentials", "oidc"]).default("credentials"),
  /** Absent or empty: a queue of the deployment's own account, which is tagged for the workspace. */
  aws_resource_path: z
    .string()
    .transform((path) => path.replace(/^\$res:/, ""))
    .pipe(z.union([z.literal(""), runnablePath]))
    .nullish(),
  message_attributes: z.array(text(256)).max(100).nullish(),
};

const s3Event = z.string().regex(/^Object [A-Za-z ]{1,60}$/, "must be a detail type of S3, such as Object Created");
const awsFields = {
  source: z.enum(["sns", "eventbridge", "s3"]),
  topic_arn: text(300)
    .regex(/^arn:[a-z-]+:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]+(\.fifo)?$/, "must be the ARN of an SNS topic")
    .nullish(),
  filter_policy: jsonObject.nullish(),
  event_pattern: jsonObject.nullish(),
  /** The name of an event bus. Default: `default`. */
  bus: text(256)
    .regex(/^[A-Za-z0-9._/-]+$/, "must be the name of an event bus")
    .nullish(),
  bucket: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, "must be the name of a bucket")
    .nullish(),
  prefix: text(500).nullish(),
  suffix: text(500).nullish(),
  /** Default: `Object Created`. */
  events: z.array(s3Event).min(1).max(20).nullish(),
};

/** Mail servers treat the part before `@` as equal in either case. */
const emailFields = {
  local_part: z
    .string()
    .toLowerCase()
    .regex(/^[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?$/, "1 to 63 letters, digits, '.', '_' and '-'"),
  /** The address begins with the id of the workspace: `<workspace>-<local_part>`. */
  workspaced_local_part: z.boolean().nullish(),
};

const required = { sns: "topic_arn", eventbridge: "event_pattern", s3: "bucket" } as const;
const fieldsOfSource = {
  sns: ["topic_arn", "filter_policy"],
  eventbridge: ["event_pattern", "bus"],
  s3: ["bucket", "prefix", "suffix", "events"],
} as const;

/** The fields that only one kind of trigger has, as they are stored. */
export const ownFieldSchemas = {
  http: httpFieldsSchema,
  sqs: z.object(sqsFields).superRefine(({ aws_auth_resource_type: type, aws_resource_path: path }, context) => {
    if (type === "oidc" && path)
      context.addIssue({ code: "custom", path: ["aws_auth_resource_type"], message: "only credentials are supported" });
  }),
  aws: z.object(awsFields).superRefine((fields, context) => {
    const needed = required[fields.source];
    if (fields[needed] == null)
      context.addIssue({ code: "custom", path: [needed], message: `is required for the source ${fields.source}` });
    for (const [source, names] of Object.entries(fieldsOfSource)) {
      if (source === fields.source) continue;
      for (const name of names) {
        if (fields[name] != null) context.addIssue({ code: "custom", path: [name], message: `is a field of the source ${source}` });
      }
    }
  }),
  email: z.object(emailFields),
} as const;
export type SqsFields = z.output<typeof ownFieldSchemas.sqs>;
export type AwsFields = z.output<typeof ownFieldSchemas.aws>;
export type EmailFields = z.output<typeof ownFieldSchemas.email>;

/** Empty for a route that serves files, which starts nothing. */
const servedPath = z.union([z.literal(""), runnablePath]);
interface Served {
  script_path: string;
  static_asset_config?: unknown;
}
function requireRunnable({ script_path: path, static_asset_config: files }: Served, context: z.RefinementCtx): void {
  if (path === "" && files == null)
    context.addIssue({ code: "custom", path: ["script_path"], message: "is required for a route that serves no files" });
}

/** The bodies of `create`. */
export const newTriggerSchemas = {
  http: z.object({ ...commonFields, ...httpFields, script_path: servedPath }).superRefine(requireRunnable),
  sqs: z.object(commonFields).and(ownFieldSchemas.sqs),
  aws: z.object(commonFields).and(ownFieldSchemas.aws),
  email: z.object(commonFields).and(ownFieldSchemas.email),
} as const;
/**
 * The bodies of `update`. The request replaces the fields of the kind, and leaves omitted common fields unchanged. A route whose method of authentication is
 * omitted would be open, so the method is required.
 */
export const changedTriggerSchemas = {
  ...newTriggerSchemas,
  http: z
    .object({ ...commonFields, ...httpFields, script_path: servedPath, authentication_method: authenticationMethodSchema })
    .superRefine(requireRunnable),
} as const;
export type NewTrigger = z.output<z.ZodObject<typeof commonFields>>;

const shownFields = {
  path: z.string(),
  script_path: z.string(),
  is_flow: z.boolean(),
  mode: triggerModeSchema,
  enabled: z.boolean(),
  permissioned_as: z.string(),
  email: z.string(),
  extra_perms: extraPerms,
  workspace_id: z.string(),
  edited_by: z.string(),
  edited_at: timestamp,
  labels: labels.optional(),
  error_handler_path: z.string().optional(),
  error_handler_args: jsonObject.optional(),
  retry: retrySchema.optional(),
  /** The reason for which the trigger cannot take messages, or for which its last message started no job. */
  error: z.string().optional(),
};
const optionalText = z.string().optional();

/** The triggers of api.md §3.8. */
export const triggerSchemas = {
  http: z.object({
    ...shownFields,
    route_path: z.string(),
    http_method: httpMethodSchema,
    request_type: requestTypeSchema,
    authentication_method: authenticationMethodSchema,
    authentication_resource_path: optionalText,
    is_static_website: z.boolean(),
    static_asset_config: z.object({ s3: z.string(), storage: optionalText, filename: optionalText }).optional(),
    workspaced_route: z.boolean(),
    wrap_body: z.boolean(),
    raw_string: z.boolean(),
    failed_status: z.int().optional(),
    idempotency: deliveryRuleSchema.optional(),
    allowed_origins: z.array(z.string()).optional(),
    summary: optionalText,
    description: optionalText,
    /** The last refused requests, the newest first. Only `get` shows them. */
    last_failures: z.array(z.object({ at: timestamp, reason: z.string() })).optional(),
  }),
  sqs: z.object({
    ...shownFields,
    queue_url: z.string(),
    aws_auth_resource_type: z.string(),
    aws_resource_path: z.string(),
    message_attributes: z.array(z.string()).optional(),
  }),
  aws: z.object({
    ...shownFields,
    source: z.string(),
    topic_arn: optionalText,
    filter_policy: jsonObject.optional(),
    event_pattern: jsonObject.optional(),
    bus: optionalText,
    bucket: optionalText,
    prefix: optionalText,
    suffix: optionalText,
    events: z.array(z.string()).optional(),
  }),
  email: z.object({ ...shownFields, local_part: z.string(), workspaced_local_part: z.boolean().optional(), address: optionalText }),
} as const;
/** A trigger of any kind as replies show it. */
export type TriggerJson = z.output<z.ZodObject<typeof shownFields>> & Record<string, unknown>;
