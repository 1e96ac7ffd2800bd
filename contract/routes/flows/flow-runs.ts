import * as z from "zod";
import { anyJson, atJob, inWorkspace, jsonObject, workspaceId } from "../../common.ts";
import { flowValueSchema } from "../../flow-value.ts";
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
import { flowVersion } from "./flows.ts";

export const byVersion = z.object({ workspace: workspaceId, version: flowVersion });
const atUserState = atJob.extend({ key: z.string().min(1).max(200) });
const restartSchema = z.object({
  step_id: z
    .string()
    .max(100)
    .optional()
    .describe(
      "The first module that runs again, of the flow's own list; those before it keep their results. Without it, where the flow failed.",
    ),
  branch_or_iteration_n: z.int().min(0).nullish().describe("Of a loop or a branchall, one after the other: the first one that runs again."),
  flow_version: flowVersion.nullish().describe("Another version to go on with."),
});
export type Restart = z.output<typeof restartSchema>;

/** A flow that is not stored. */
export const flowPreviewSchema = z.object({
  value: flowValueSchema,
  path: z.string().max(250).nullish(),
  args: jsonObject.nullish(),
  tag: z.string().max(50).nullish(),
});
export type FlowPreview = z.output<typeof flowPreviewSchema>;

const base = "/api/w/{workspace}/jobs";
const run = { method: "POST", fn: "run", auth: "token", query: payloadQuery, payload: true, status: 201, reply: accepted } as const;
const wait = { method: "POST", fn: "run", auth: "token", query: waitQuery, payload: true, status: 200, reply: result } as const;
const get = { ...wait, method: "GET", query: getQuery } as const;

export const flowRunRoutes = {
  runFlowByPath: defineRoute({
    ...run,
    name: "jobs.run.flows",
    summary: "Run the newest version of a flow and answer its job's uuid at once.",
    path: `${base}/run/f/{path+}`,
    params: byPath,
    errors: [...runErrors, "flow.notFound"],
  }),
  runFlowByVersion: defineRoute({
    ...run,
    name: "jobs.run.fv",
    summary: "Run one exact version of a flow and answer its job's uuid at once.",
    path: `${base}/run/fv/{version}`,
    params: byVersion,
    errors: [...runErrors, "flow.versionNotFound"],
  }),
  runFlowPreview: defineRoute({
    name: "jobs.run.previewFlow",
    summary: "Run a flow that is not stored and answer its job's uuid at once.",
    method: "POST",
    path: `${base}/run/preview_flow`,
    fn: "run",
    auth: "token",
    params: inWorkspace,
    query: runQuery,
    body: flowPreviewSchema,
    status: 201,
    reply: accepted,
    errors: runErrors,
  }),
  restartFlow: defineRoute({
    name: "jobs.restart.flows",
    summary: "Run a flow that has ended again from one of its steps, or from where it failed, as a new job with the same arguments.",
    method: "POST",
    path: `${base}/restart/f/{id}`,
    fn: "run",
    auth: "token",
    params: atJob,
    query: runQuery,
    body: restartSchema,
    status: 201,
    reply: accepted,
    errors: [...runErrors, "job.notFound", "flow.notRestarted", "flow.versionNotFound"],
  }),
  setUserState: defineRoute({
    name: "jobs.setUserState",
    summary: "Keep a value with a flow that has not ended, under a key of its own; everybody who sees the flow sees it.",
    method: "POST",
    path: `${base}/flow/user_states/{id}/{key}`,
    fn: "api",
    auth: "token",
    params: atUserState,
    body: anyJson,
    status: 200,
    reply: { text: "That it is kept." },
    errors: ["job.notFound", "job.ended", "body.tooLarge"],
  }),
  getUserState: defineRoute({
    name: "jobs.getUserState",
    summary: "A value that is kept with a flow; null where there is none.",
    method: "GET",
    path: `${base}/flow/user_states/{id}/{key}`,
    fn: "api",
    auth: "token",
    params: atUserState,
    status: 200,
    reply: { json: anyJson },
    errors: ["job.notFound"],
  }),
  runWaitFlowByPath: defineRoute({
    ...wait,
    name: "jobs.runWait.flows",
    summary: "Run the newest version of a flow and answer its result.",
    path: `${base}/run_wait_result/f/{path+}`,
    params: byPath,
    errors: [...waitErrors, "flow.notFound"],
  }),
  runWaitFlowByVersion: defineRoute({
    ...wait,
    name: "jobs.runWait.fv",
    summary: "Run one exact version of a flow and answer its result.",
    path: `${base}/run_wait_result/fv/{version}`,
    params: byVersion,
    errors: [...waitErrors, "flow.versionNotFound"],
  }),
  runWaitFlowByPathGet: defineRoute({
    ...get,
    name: "jobs.runWait.flows.get",
    summary: "Run the newest version of a flow, its arguments as JSON in base64 in the query, and answer its result.",
    path: `${base}/run_wait_result/f/{path+}`,
    params: byPath,
    errors: [...getErrors, "flow.notFound"],
  }),
  runWaitFlowByVersionGet: defineRoute({
    ...get,
    name: "jobs.runWait.fv.get",
    summary: "Run one exact version of a flow, its arguments as JSON in base64 in the query, and answer its result.",
    path: `${base}/run_wait_result/fv/{version}`,
    params: byVersion,
    errors: [...getErrors, "flow.versionNotFound"],
  }),
  runWaitFlowPreview: defineRoute({
    name: "jobs.runWait.previewFlow",
    summary: "Run a flow that is not stored and answer its result.",
    method: "POST",
    path: `${base}/run_wait_result/preview_flow`,
    fn: "run",
    auth: "token",
    params: inWorkspace,
    query: runQuery.extend(queueLimit),
    body: flowPreviewSchema,
    status: 200,
    reply: result,
    errors: waitErrors,
  }),
};
