import * as z from "zod";
import { anyJson, jobId } from "../../common.ts";
import { flowShapeSchema } from "../../flows/flow-value.ts";

const branchChosen = z.object({ type: z.enum(["branch", "default"]), branch: z.int().optional() });
const jobsInside = {
  flow_jobs: z.array(jobId).optional(),
  flow_jobs_success: z.array(z.boolean().nullable()).optional(),
  branch_chosen: branchChosen.optional(),
};
const failedRetries = { failed_retries: z.array(jobId).optional() };

const moduleStatusSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("WaitingForPriorSteps"), id: z.string() }),
  /** If several gates are open inside a loop or branch, `job` is the earliest of them, and `count` the events that it still needs. */
  z.object({ type: z.literal("WaitingForEvents"), id: z.string(), count: z.int(), job: jobId }),
  z.object({ type: z.literal("WaitingForExecutor"), id: z.string(), job: jobId }),
  z.object({
    type: z.literal("InProgress"),
    id: z.string(),
    job: jobId,
    progress: z.number().optional(),
    iterator: z.object({ index: z.int(), itered_len: z.int().optional() }).optional(),
    branchall: z.object({ branch: z.int(), len: z.int() }).optional(),
    ...jobsInside,
    ...failedRetries,
  }),
  z.object({
    type: z.literal("Success"),
    id: z.string(),
    job: jobId,
    skipped: z.boolean().optional(),
    approvers: z.array(z.object({ resume_id: z.int(), approver: z.string() })).optional(),
    ...jobsInside,
    ...failedRetries,
  }),
  z.object({ type: z.literal("Failure"), id: z.string(), job: jobId, ...jobsInside, ...failedRetries }),
]);
export type ModuleStatus = z.output<typeof moduleStatusSchema>;

export const flowStatusSchema = z.object({
  step: z.int().describe("Index of the module that is running or ran last. -1 is the preprocessor."),
  modules: z.array(moduleStatusSchema),
  failure_module: moduleStatusSchema,
  preprocessor_module: moduleStatusSchema.optional(),
  user_states: z.record(z.string(), anyJson).optional(),
  approval_conditions: z
    .object({ user_auth_required: z.boolean(), user_groups_required: z.array(z.string()), self_approval_disabled: z.boolean() })
    .optional(),
  retry: z.object({ fail_count: z.int().optional(), failed_jobs: z.array(jobId).optional() }).optional(),
});
export type FlowStatus = z.output<typeof flowStatusSchema>;

const executionSchema = z.object({
  arn: z.string().describe("ARN of the current execution."),
  console_url: z.string().optional().describe("Its page in the Step Functions console. Absent with a local engine."),
  earlier: z.array(z.string()).describe("ARNs of the previous executions, oldest first, at most the last hundred."),
});
export type ExecutionJson = z.output<typeof executionSchema>;

/** The fields of a flow's job beyond those of every job. */
export const flowJobFields = {
  flow_status: flowStatusSchema.optional(),
  raw_flow: flowShapeSchema.optional(),
  /** Absent before the first execution. */
  execution: executionSchema.optional(),
  /** For the job of a step: the id of its module. */
  flow_step_id: z.string().optional(),
  suspend: z.int().optional().describe("For a flow: the number of its steps that are waiting for approval."),
  /** Present while the flow waits for approval. */
  state: z.enum(["suspended", "awaiting_approval"]).optional(),
};
