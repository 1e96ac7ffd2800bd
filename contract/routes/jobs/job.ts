import * as z from "zod";
import { anyJson, jobId, jsonObject, timestamp, versionHash, workspaceId } from "../../common.ts";
import { jobKindSchema } from "../../job-kind.ts";
import { scriptLanguageSchema } from "../../languages.ts";
import { flowJobFields, flowStatusSchema } from "../flows/flow-status.ts";

const jobFields = {
  id: jobId,
  workspace_id: workspaceId,
  parent_job: jobId.optional(),
  root_job: jobId.optional(),
  created_by: z.string(),
  created_at: timestamp,
  started_at: timestamp.optional(),
  script_path: z.string().optional(),
  script_hash: versionHash.optional(),
  args: jsonObject.optional(),
  logs: z.string().optional(),
  raw_code: z.string().optional(),
  canceled: z.boolean(),
  canceled_by: z.string().optional(),
  canceled_reason: z.string().optional(),
  job_kind: jobKindSchema,
  trigger_kind: z.string().optional(),
  schedule_path: z.string().optional(),
  trigger_path: z.string().optional(),
  permissioned_as: z.string(),
  email: z.string(),
  visible_to_owner: z.boolean(),
  is_flow_step: z.boolean(),
  language: scriptLanguageSchema.optional(),
  tag: z.string(),
  labels: z.array(z.string()).optional(),
  priority: z.number().optional(),
  mem_peak: z.number().optional(),
  preprocessed: z.boolean().optional(),
  worker: z.string().optional(),
  /** Extension of svc, in lists with `include_preview`: at most 200 bytes of the JSON text, without secrets. */
  args_preview: z.string().optional(),
  ...flowJobFields,
};
/** api.md §2.3. */
export const queuedJobSchema = z.object({
  type: z.literal("QueuedJob"),
  ...jobFields,
  running: z.boolean(),
  scheduled_for: timestamp.optional(),
  last_ping: timestamp.optional(),
});
export const completedJobSchema = z.object({
  type: z.literal("CompletedJob"),
  ...jobFields,
  started_at: timestamp,
  completed_at: timestamp,
  duration_ms: z.number(),
  success: z.boolean(),
  is_skipped: z.boolean(),
  result: anyJson.optional(),
  result_preview: z.string().optional(),
  deleted: z.boolean().optional(),
  /** Extension of svc: the job did not run, and the result is that of an earlier run. */
  cached: z.boolean().optional(),
});
export const jobSchema = z.discriminatedUnion("type", [queuedJobSchema, completedJobSchema]);
export type JobJson = z.input<typeof jobSchema>;

export const jobUpdateSchema = z.object({
  running: z.boolean().optional(),
  completed: z.boolean().optional(),
  new_logs: z.string().optional(),
  log_offset: z.number().optional(),
  mem_peak: z.number().optional(),
  progress: z.number().optional(),
  new_result_stream: z.string().optional(),
  stream_offset: z.number().optional(),
  flow_status: flowStatusSchema.optional(),
});
export type JobUpdateJson = z.input<typeof jobUpdateSchema>;
