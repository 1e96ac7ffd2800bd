import * as z from "zod";
import { anyNumber, jsonObject } from "../common.ts";
import { scriptLanguageSchema } from "../languages.ts";
import { limits } from "../limits.ts";
import { approverChannels } from "../notices/channels.ts";
import { withinBounds } from "../utilities/within-bounds.ts";

/** The flow format of api.md §4. Unknown fields are preserved, so a stored flow is returned deep-equal. */

const expression = z.string().max(limits.expressionChars);
/** A longer period counts as `limits.periodS`: clients send the largest integer for an unlimited time. */
const seconds = anyNumber.min(0);
const optional = <S extends z.ZodType>(schema: S) => schema.nullish();

export const inputTransformSchema = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("static"), value: z.unknown().optional() }),
  z.looseObject({ type: z.literal("javascript"), expr: expression }),
  // A model fills this in at run time. It can be stored, but running it is an error.
  z.looseObject({ type: z.literal("ai") }),
]);
export type InputTransform = z.output<typeof inputTransformSchema>;
const inputTransforms = optional(z.record(z.string(), inputTransformSchema));

const stopAfterIfSchema = z.looseObject({
  expr: expression,
  skip_if_stopped: optional(z.boolean()),
  error_message: optional(z.string()),
  error_include_result: optional(z.boolean()),
});
export type StopAfterIf = z.output<typeof stopAfterIfSchema>;

const attempts = optional(z.int().min(0).max(limits.retries));
export const retrySchema = z.looseObject({
  constant: optional(z.looseObject({ attempts, seconds: optional(seconds) })),
  exponential: optional(
    z.looseObject({
      attempts,
      multiplier: optional(anyNumber.min(0)),
      seconds: optional(seconds),
      random_factor: optional(z.number().min(0).max(100)),
    }),
  ),
  retry_if: optional(z.looseObject({ expr: expression })),
});
export type Retry = z.output<typeof retrySchema>;

const suspendSchema = z.looseObject({
  required_events: optional(z.int().min(0).max(100)),
  timeout: optional(seconds),
  resume_form: optional(z.looseObject({})),
  user_auth_required: optional(z.boolean()),
  user_groups_required: optional(inputTransformSchema),
  self_approval_disabled: optional(z.boolean()),
  hide_cancel: optional(z.boolean()),
  reject_reason_required: optional(z.boolean()).describe("A rejection without a reason is refused."),
  continue_on_disapprove_timeout: optional(z.boolean()),
  skin: optional(z.enum(["detailed", "minimal"])),
  inputs: optional(z.array(z.string())).describe("The flow's inputs that the approval page shows."),
});

/** Results and artefacts are stored under module ids in objects, in which two names have a special meaning. */
const moduleIdSchema = z
  .string()
  .regex(/^(?!(__proto__|constructor)$)[A-Za-z0-9_-]{1,80}$/, "letters, digits, '_' and '-', at most 80, not '__proto__' or 'constructor'");

const runs = { input_transforms: inputTransforms, is_trigger: optional(z.boolean()) };
const loops = { skip_failures: optional(z.boolean()), parallel: optional(z.boolean()), squash: optional(z.boolean()) };

const rawScriptSchema = z.looseObject({
  type: z.literal("rawscript"),
  content: z.string().max(limits.scriptBytes),
  language: scriptLanguageSchema,
  lock: optional(z.string()),
  path: optional(z.string()),
  tag: optional(z.string().max(50)),
  concurrent_limit: optional(z.int().min(0).max(limits.concurrentLimit)),
  concurrency_time_window_s: optional(z.int().min(0).max(limits.concurrencyWindowS)),
  custom_concurrency_key: optional(z.string().max(limits.concurrencyKeyChars)),
  ...runs,
});
const moduleValueSchema = z.discriminatedUnion("type", [
  rawScriptSchema,
  z.looseObject({
    type: z.literal("script"),
    path: z.string().min(1),
    hash: optional(z.string()),
    tag_override: optional(z.string()),
    ...runs,
  }),
  z.looseObject({ type: z.literal("flow"), path: z.string().min(1), ...runs }),
  z.looseObject({
    type: z.literal("forloopflow"),
    iterator: inputTransformSchema,
    parallelism: optional(inputTransformSchema.or(z.int().min(1))),
    ...loops,
    get modules() {
      return modulesSchema;
    },
  }),
  z.looseObject({
    type: z.literal("whileloopflow"),
    parallelism: optional(inputTransformSchema.or(z.int().min(1))),
    ...loops,
    get modules() {
      return modulesSchema;
    },
  }),
  z.looseObject({
    type: z.literal("branchone"),
    get branches() {
      return z.array(z.looseObject({ summary: optional(z.string()), expr: expression, modules: modulesSchema }));
    },
    get default() {
      return optional(modulesSchema);
    },
  }),
  z.looseObject({
    type: z.literal("branchall"),
    parallel: optional(z.boolean()),
    get branches() {
      return z.array(z.looseObject({ summary: optional(z.string()), skip_failure: optional(z.boolean()), modules: modulesSchema }));
    },
  }),
  z.looseObject({ type: z.literal("identity") }),
  z.looseObject({
    type: z.literal("consentgate"),
    approvers: z.array(z.string().min(1)).min(1, "must name at least one approver"),
    timeout: optional(seconds),
    notification: optional(
      z.looseObject({
        channel: z.enum(approverChannels),
        url: optional(z.url()).describe("For `webhook`: the URL of the webhook."),
        resource_path: optional(z.string().max(250)).describe("For `chat`: the resource of the chat application."),
        channel_id: optional(z.string().max(200)).describe("For `chat`: the channel. Default: that of the resource."),
      }),
    ),
    message: optional(z.string()),
    reject_reason_required: optional(z.boolean()).describe("A rejection without a reason is refused."),
    remind_after: optional(seconds),
    escalate: optional(z.looseObject({ after: seconds, approvers: z.array(z.string().min(1)).min(1) })),
  }),
  // A model-driven tool loop. It can be stored, but running it is an error.
  z.looseObject({ type: z.literal("aiagent") }),
]);

const moduleSchema = z.looseObject({
  id: moduleIdSchema,
  get value() {
    return moduleValueSchema;
  },
  summary: optional(z.string()),
  priority: optional(z.int().min(0).max(100)),
  cache_ttl: optional(z.int().min(0)),
  cache_ignore_s3_path: optional(z.boolean()),
  delete_after_secs: optional(z.int().min(0)),
  stop_after_if: optional(stopAfterIfSchema),
  stop_after_all_iters_if: optional(stopAfterIfSchema),
  skip_if: optional(z.looseObject({ expr: expression })),
  sleep: optional(inputTransformSchema),
  timeout: optional(inputTransformSchema.or(seconds)),
  mock: optional(z.looseObject({ enabled: optional(z.boolean()), return_value: z.unknown().optional() })),
  suspend: optional(suspendSchema),
  continue_on_error: optional(z.boolean()),
  segment: optional(z.boolean()).describe("Runs in one task with neighbours that also have `segment: true`."),
  retry: optional(retrySchema),
});
export type FlowModule = z.output<typeof moduleSchema>;
const modulesSchema = z.array(moduleSchema);

const aside = (id: string) =>
  moduleSchema
    .refine((module) => module.id === id, { path: ["id"], message: `must be ${id}` })
    .refine(({ value }) => value.type === "script" || value.type === "rawscript", {
      path: ["value", "type"],
      message: "must be script or rawscript",
    });

/** The fields of a flow, each checked separately. */
export const flowShapeSchema = z.looseObject({
  modules: modulesSchema,
  failure_module: optional(aside("failure")),
  preprocessor_module: optional(aside("preprocessor")),
  same_worker: optional(z.boolean()),
  concurrent_limit: optional(z.int().min(0).max(limits.concurrentLimit)),
  concurrency_key: optional(z.string().max(limits.concurrencyKeyChars)),
  concurrency_time_window_s: optional(z.int().min(0).max(limits.concurrencyWindowS)),
  skip_expr: optional(expression),
  cache_ttl: optional(z.int().min(0)),
  cache_ignore_s3_path: optional(z.boolean()),
  delete_after_secs: optional(z.int().min(0)),
  flow_env: optional(jsonObject),
  priority: optional(z.int().min(0).max(100)),
  early_return: optional(z.string()),
  chat_input_enabled: optional(z.boolean()),
});
export type FlowValue = z.output<typeof flowShapeSchema>;

/** A stored flow. It is not checked against rules that were added after it was saved, and its numbers not against later bounds. */
export const storedFlowValueSchema = withinBounds(flowShapeSchema);
