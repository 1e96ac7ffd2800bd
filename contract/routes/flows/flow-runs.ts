import * as z from "zod";
import { actions } from "../../access/actions.ts";
import { anyJson, atJob, inWorkspace, jobId, jsonObject, workspaceId } from "../../common.ts";
import { flowValueSchema } from "../../flows/flow-value-schema.ts";
import { defineRoute } from "../../route.ts";
import {
  accepted,
  byPath,
  getErrors,
  getQuery,
  payloadQuery,
  queueLimit,
  result,
  runErrors,
  runQuery,
  waitErrors,
  waitQuery,
} from "../jobs/runs.ts";
import { tempScriptRefs } from "../stored/temp-scripts.ts";
import { flowVersion } from "./flows.ts";

export const byVersion = z.object({ workspace: workspaceId, version: flowVersion });
const restartSchema = z.object({
  step_id: z
    .string()
    .max(100)
    .optional()
    .describe(
      "The first module to run again, at the top level of the flow. Earlier modules retain their results. Default: the module that failed.",
    ),
  branch_or_iteration_n: z
    .int()
    .min(0)
    .nullish()
    .describe("For a sequential loop or branchall: the first iteration or branch to run again."),
  flow_version: flowVersion.nullish().describe("The version with which to continue. Default: the version of the original run."),
});
export type Restart = z.output<typeof restartSchema>;

/** The run whose earlier results a preview continues with. */
const restartedFromSchema = restartSchema.omit({ flow_version: true }).extend({
  flow_job_id: jobId.describe("The job of a flow that has ended."),
  flow_version: flowVersion.nullish().describe("Has no effect: the preview runs the flow in `value`."),
  nested: anyJson.nullish().describe("Not supported: a restart begins in the flow's own list."),
});

/** A flow that is not stored. */
export const flowPreviewSchema = z.object({
  value: flowValueSchema,
  path: z.string().max(250).nullish(),
  args: jsonObject.nullish(),
  tag: z.string().max(50).nullish(),
  temp_script_refs: tempScriptRefs.nullish(),
  restarted_from: restartedFromSchema
    .nullish()
    .describe(
      "Runs this flow with these arguments from one of its steps on, with the results that the steps before it had in an earlier run.",
    ),
});
export type FlowPreview = z.output<typeof flowPreviewSchema>;

const base = "/api/w/{workspace}/jobs";
const run = { method: "POST", fn: "run", auth: "token", query: payloadQuery, payload: true, status: 201, reply: accepted } as const;
const wait = { method: "POST", fn: "run", auth: "token", query: waitQuery, payload: true, status: 200, reply: result } as const;
const get = { ...wait, method: "GET", query: getQuery } as const;

const runFlowVersion = {
  domain: "jobs",
  verb: "run",
  runs: "flows",
  need: "run",
  target: "version",
  hiddenAs: "flow.versionNotFound",
} as const;
const runPreview = actions.runPreview.access;
const runFlow = { domain: "jobs", verb: "run", runs: "flows", need: "run", target: "path", hiddenAs: "flow.notFound" } as const;

export const flowRunRoutes = {
  runFlowByPath: defineRoute({
    ...run,
    name: "jobs.run.flows",
    summary: "Run the newest version of a flow and return the id of its job immediately.",
    path: `${base}/run/f/{path+}`,
    access: actions.runFlow.access,
    params: byPath,
    errors: [...runErrors, "flow.notFound", "run.arguments"],
  }),
  runFlowByVersion: defineRoute({
    ...run,
    name: "jobs.run.fv",
    summary: "Run an exact version of a flow and return the id of its job immediately.",
    path: `${base}/run/fv/{version}`,
    access: runFlowVersion,
    params: byVersion,
    errors: [...runErrors, "flow.versionNotFound", "run.arguments"],
  }),
  runFlowPreview: defineRoute({
    name: "jobs.run.previewFlow",
    summary: "Run a flow that is not stored and return the id of its job immediately.",
    method: "POST",
    path: `${base}/run/preview_flow`,
    access: runPreview,
    fn: "run",
    auth: "token",
    params: inWorkspace,
    query: runQuery,
    body: flowPreviewSchema,
    status: 201,
    reply: accepted,
    errors: [...runErrors, "job.notFound", "flow.notRestarted"],
  }),
  restartFlow: defineRoute({
    name: "jobs.restart.flows",
    summary: "Restart an ended flow from one of its steps, or from the step that failed, as a new job with the same arguments.",
    method: "POST",
    path: `${base}/restart/f/{id}`,
    access: { domain: "jobs", verb: "run", runs: "flows", need: "run", target: "job" },
    fn: "run",
    auth: "token",
    params: atJob,
    query: runQuery,
    body: restartSchema,
    status: 201,
    reply: accepted,
    errors: [...runErrors, "job.notFound", "flow.notRestarted", "flow.versionNotFound"],
  }),
  runWaitFlowByPath: defineRoute({
    ...wait,
    name: "jobs.runWait.flows",
    summary: "Run the newest version of a flow and return its result.",
    path: `${base}/run_wait_result/f/{path+}`,
    access: runFlow,
    params: byPath,
    errors: [...waitErrors, "flow.notFound", "run.arguments"],
  }),
  runWaitFlowByVersion: defineRoute({
    ...wait,
    name: "jobs.runWait.fv",
    summary: "Run an exact version of a flow and return its result.",
    path: `${base}/run_wait_result/fv/{version}`,
    access: runFlowVersion,
    params: byVersion,
    errors: [...waitErrors, "flow.versionNotFound", "run.arguments"],
  }),
  runWaitFlowByPathGet: defineRoute({
    ...get,
    name: "jobs.runWait.flows.get",
    summary: "Run the newest version of a flow with its arguments as base64-encoded JSON in the query, and return its result.",
    path: `${base}/run_wait_result/f/{path+}`,
    access: runFlow,
    params: byPath,
    errors: [...getErrors, "flow.notFound", "run.arguments"],
  }),
  runWaitFlowByVersionGet: defineRoute({
    ...get,
    name: "jobs.runWait.fv.get",
    summary: "Run an exact version of a flow with its arguments as base64-encoded JSON in the query, and return its result.",
    path: `${base}/run_wait_result/fv/{version}`,
    access: runFlowVersion,
    params: byVersion,
    errors: [...getErrors, "flow.versionNotFound", "run.arguments"],
  }),
  runWaitFlowPreview: defineRoute({
    name: "jobs.runWait.previewFlow",
    summary: "Run a flow that is not stored and return its result.",
    method: "POST",
    path: `${base}/run_wait_result/preview_flow`,
    access: runPreview,
    fn: "run",
    auth: "token",
    params: inWorkspace,
    query: runQuery.extend(queueLimit),
    body: flowPreviewSchema,
    status: 200,
    reply: result,
    errors: [...waitErrors, "job.notFound", "flow.notRestarted"],
  }),
};
