import * as z from "zod";
import { actions } from "../../access/actions.ts";
import { atJob, atPath, flag, jobId, timestamp } from "../../common.ts";
import { limits } from "../../limits.ts";
import { defineRoute } from "../../route.ts";

const w = "/api/w/{workspace}";
const read = { method: "GET", fn: "jobs", auth: "token", status: 200, errors: ["job.notFound"] } as const;

const outlineStates = [
  ...(["waiting", "queued", "scheduled", "running", "suspended", "awaiting_approval"] as const),
  ...(["succeeded", "failed", "canceled", "skipped", "not_run"] as const),
] as const;
export const outlineStepSchema = z.object({
  path: z.string().describe("The address of the step, iteration or branch: `loop/3/step`. Send it as `under` to get what is inside."),
  module: z.string(),
  summary: z.string().optional().describe("The beginning of the summary that the author of the flow gave the module."),
  kind: z.string().describe("The type of the module, or `iteration` or `branch` for a list of steps inside it."),
  state: z.enum(outlineStates),
  job: jobId.optional().describe("The job of the last attempt. The job of a nested flow has an outline too."),
  attempts: z.int(),
  iteration: z.int().optional(),
  of: z.int().optional().describe("The number of iterations, if it is known."),
  queued_at: timestamp.optional(),
  started_at: timestamp.optional(),
  ended_at: timestamp.optional(),
  waited_ms: z.number().optional().describe("The time from when the job was due to its start."),
  error: z.object({ name: z.string(), message: z.string() }).optional(),
  children: z.int().optional().describe("The number of iterations, branches or steps inside."),
  failed_children: z.int().optional(),
  failed_children_partial: z
    .boolean()
    .optional()
    .describe("There are more failures than one request reads: `failed_children` is a lower bound."),
  cached: z.boolean().optional(),
  mocked: z.boolean().optional(),
  skipped: z.boolean().optional(),
  approval: z
    .object({
      state: z.enum(["open", "approved", "rejected", "expired"]),
      approvers: z.array(z.string()).describe("The people who have approved, or the one who has rejected."),
      opened_at: timestamp,
      decided_at: timestamp.optional(),
      missing: z.int().optional().describe("While it is open: the number of approvals that are still required."),
      may_decide: z
        .object({
          people: z.array(z.string()).optional().describe("`u/<user>`, `g/<group>`, `role:admin` or an e-mail address."),
          user_auth_required: z.boolean(),
          self_approval_disabled: z.boolean(),
        })
        .optional()
        .describe(
          "While it is open: who may decide. Absent for the holder of a link. Without `people`: the holders of a link to the step.",
        ),
    })
    .optional()
    .describe("The approval that the step requests after it has run."),
});
export type OutlineStepJson = z.input<typeof outlineStepSchema>;

export const outlineQuery = z.object({
  under: z.string().max(2000).optional().describe("The `path` of a step, iteration or branch. Absent: the steps of the flow itself."),
  only_failed: flag.optional().describe("Only what has failed, or contains a failure."),
  page: z.coerce.number().int().min(0).optional(),
  per_page: z.coerce.number().int().min(1).max(limits.outlinePage).optional(),
  approval_token: z.string().max(400).optional().describe("The `view_token` of an approval link of this flow, instead of a token."),
});
export type OutlineQuery = z.output<typeof outlineQuery>;

const estimate = {
  estimate: z.literal(true),
  region: z.string().describe("The region whose list prices are used."),
  prices_as_of: z.string(),
  currency: z.literal("USD"),
};
const costLineSchema = z.object({
  what: z.string(),
  quantity: z.number(),
  unit: z.string(),
  unit_price: z.number(),
  amount: z.number(),
});
const runCostSchema = z.object({
  ...estimate,
  lines: z.array(costLineSchema),
  total: z.number(),
  children_total: z.number().optional().describe("For a flow: the cost of the jobs of its steps."),
  children_sampled: z.boolean().optional().describe("The flow has more steps than one request reads: the average counts for the others."),
});
export type RunCostJson = z.input<typeof runCostSchema>;
const pathCostSchema = z.object({
  ...estimate,
  since: timestamp,
  runs: z.int(),
  total: z.number(),
  per_run: z.number(),
  partial: z.boolean().describe("There are more runs than one request reads: `runs` and `total` are lower bounds."),
  sampled_runs: z.int().optional().describe("The number of runs whose average counts for the others."),
});
export type PathCostJson = z.input<typeof pathCostSchema>;
const readCostAtPath = { verb: "read", need: "read", target: "path" } as const;

/** Reads that explain one run. */
export const runDetailRoutes = {
  getFlowOutline: defineRoute({
    ...read,
    name: "jobs.getFlowOutline",
    summary:
      "Get summaries of the steps of a flow's job, a page of one level at a time, in the order of the flow. The list is empty for other jobs, and after an erasure.",
    path: `${w}/jobs_u/get_flow_outline/{id}`,
    access: actions.readJob.access,
    params: atJob,
    query: outlineQuery,
    reply: { json: z.array(outlineStepSchema) },
  }),
  getCost: defineRoute({
    ...read,
    name: "jobs.getCost",
    summary:
      "Estimate the cost of a run at AWS list prices, from its measured time, attempts, state transitions and values, and the counted requests of its kind. Free tiers, storage and logs are left out.",
    path: `${w}/jobs_u/get_cost/{id}`,
    access: actions.readJob.access,
    params: atJob,
    reply: { json: runCostSchema },
  }),
  getScriptCost: defineRoute({
    ...read,
    name: "scripts.getCost",
    summary:
      "Estimate the cost of a script's runs in the last 30 days that the caller may see. One request reads up to 1,000 runs, newest first.",
    path: `${w}/scripts/get_cost/{path+}`,
    access: { ...readCostAtPath, domain: "scripts", hiddenAs: "script.notFound" },
    params: atPath,
    reply: { json: pathCostSchema },
    errors: ["script.notFound"],
  }),
  getFlowCost: defineRoute({
    ...read,
    name: "flows.getCost",
    summary:
      "Estimate the cost of a flow's runs in the last 30 days that the caller may see, with their steps. One request reads up to 1,000 runs, newest first, and the steps of ten of them.",
    path: `${w}/flows/get_cost/{path+}`,
    access: { ...readCostAtPath, domain: "flows", hiddenAs: "flow.notFound" },
    params: atPath,
    reply: { json: pathCostSchema },
    errors: ["flow.notFound"],
  }),
};
