import * as z from "zod";
import { actions } from "../../access/actions.ts";
import {
  anyPath,
  atPath,
  extraPerms,
  flag,
  inWorkspace,
  jobId,
  jsonObject,
  page,
  runnablePath,
  timestamp,
  versionHash,
  workspaceId,
} from "../../common.ts";
import { flowValueSchema } from "../../flows/flow-value-schema.ts";
import { limits } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { truncatedTokenSchema } from "../people/tokens.ts";
import { triggerCountsSchema } from "../stored/script.ts";
import { ownFailureNoticeSchema, shownFailureNoticeSchema } from "../workspaces/failure-notices.ts";

/** A flow's version: an integer that increases with each version. */
export const flowVersion = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

/** OpenFlow with its extra fields (api.md §3.2, §4), preserved exactly as sent. */
const settable = {
  path: runnablePath,
  summary: z.string().max(1000).default(""),
  description: z.string().max(20_000).nullish(),
  value: flowValueSchema,
  schema: jsonObject.nullish(),
  tag: z.string().max(50).nullish(),
  ws_error_handler_muted: z.boolean().nullish(),
  priority: z.int().min(0).max(100).nullish(),
  dedicated_worker: z.boolean().nullish(),
  timeout: z.int().min(1).max(limits.flowTimeoutS).nullish().describe("Seconds after which the whole flow fails."),
  validate_input: z.boolean().nullish().describe("Refuses runs whose arguments do not match `schema`."),
  visible_to_runner_only: z.boolean().nullish(),
  on_behalf_of_email: z.string().nullish(),
  on_behalf_of: z.string().nullish(),
  labels: z.array(z.string().max(100)).max(50).nullish(),
};
export const newFlowSchema = z.object({
  ...settable,
  deployment_message: z.string().max(1000).nullish(),
  preserve_on_behalf_of: z.boolean().nullish(),
  skip_draft_deletion: z.boolean().nullish(),
});
export type NewFlow = z.output<typeof newFlowSchema>;

export const flowSchema = z.object({
  ...settable,
  path: z.string(),
  workspace_id: workspaceId,
  edited_by: z.string(),
  edited_at: timestamp,
  archived: z.boolean(),
  extra_perms: extraPerms,
  starred: z.boolean(),
  version_id: z.number(),
  /** 16 hex digits that also identify the version: `run/h/<hash>` runs it. */
  hash: versionHash,
  lock_error_logs: z.string().optional(),
});
export type FlowJson = z.input<typeof flowSchema>;
const listedFlowSchema = flowSchema.partial({ value: true });
export type ListedFlowJson = z.input<typeof listedFlowSchema>;

/** The build of a flow: the state machine on which its runs start. */
const machineSchema = z.object({
  machine: z.string().describe("Its name."),
  arn: z.string(),
  console_url: z.string().optional().describe("Its page in the Step Functions console. Absent with a local engine."),
  definition: jsonObject.describe("Amazon States Language."),
  mermaid: z.string().describe("The state machine as a Mermaid flowchart."),
  outdated: z
    .boolean()
    .describe(
      "Whether another release of the service created the machine. In that case, the definition is the one that the next save creates.",
    ),
});
export type MachineJson = z.input<typeof machineSchema>;

const historyItem = z.object({
  id: z.number(),
  hash: versionHash,
  created_at: timestamp,
  deployment_msg: z.string().optional(),
  created_by: z.string().optional(),
});
export type FlowHistoryJson = z.input<typeof historyItem>;

export const flowListQuery = z.object({
  ...page,
  order_desc: flag.optional(),
  created_by: z.string().optional(),
  path_start: z.string().optional(),
  path_exact: z.string().optional(),
  show_archived: flag.optional(),
  starred_only: flag.optional().describe("Only those that you have starred."),
  include_draft_only: flag.optional().describe("Has no effect: every stored version is deployed."),
  without_description: flag.optional(),
  dedicated_worker: flag.optional(),
  label: z.string().optional(),
});
export type FlowListQuery = z.output<typeof flowListQuery>;

const w = "/api/w/{workspace}/flows";
const read = { method: "GET", fn: "objects", auth: "token", status: 200 } as const;
const post = { method: "POST", fn: "objects", auth: "token", status: 200 } as const;
const atVersion = z.object({ workspace: workspaceId, version: flowVersion });
const saveErrors = [
  "flow.pathTaken",
  "flow.changedMeanwhile",
  "flow.tooLarge",
  "path.noFolder",
  "workspace.notFound",
  "access.tooMuch",
  "script.notOnBehalf",
  "user.notFound",
] as const;
const pathText = { text: "The flow's path." };

const listAll = { domain: "flows", verb: "read", need: "read", target: "list" } as const;
const readVersion = { domain: "flows", verb: "read", need: "read", target: "version", hiddenAs: "flow.versionNotFound" } as const;
const readPath = actions.readFlow.access;
const writePath = { domain: "flows", verb: "write", need: "write", target: "path", hiddenAs: "flow.notFound" } as const;

export const flowRoutes = {
  createFlow: defineRoute({
    ...post,
    name: "flows.create",
    summary: "Save a new flow.",
    path: `${w}/create`,
    access: { domain: "flows", verb: "write", need: "write", target: "request" },
    audits: { kind: "Created", resource: { body: "path" } },
    params: inWorkspace,
    body: newFlowSchema,
    status: 201,
    reply: pathText,
    errors: saveErrors,
  }),
  updateFlow: defineRoute({
    ...post,
    name: "flows.update",
    summary: "Save a new version of the flow at this path; another path in the body renames it.",
    path: `${w}/update/{path+}`,
    version: "expected",
    access: actions.saveFlow.access,
    audits: { kind: "Updated", resource: { param: "path" } },
    params: atPath,
    body: newFlowSchema,
    reply: pathText,
    // The first 404 in this list is the response for objects that the caller may not see.
    errors: ["flow.notFound", ...saveErrors],
  }),
  listFlows: defineRoute({
    ...read,
    name: "flows.list",
    summary: "List the newest version of each flow, without its steps.",
    path: `${w}/list`,
    access: listAll,
    params: inWorkspace,
    query: flowListQuery,
    reply: { json: z.array(listedFlowSchema) },
    errors: [],
  }),
  listFlowPaths: defineRoute({
    ...read,
    name: "flows.listPaths",
    summary: "List the paths of all flows.",
    path: `${w}/list_paths`,
    access: listAll,
    params: inWorkspace,
    reply: { json: z.array(z.string()) },
    errors: [],
  }),
  searchFlows: defineRoute({
    ...read,
    name: "flows.listSearch",
    summary: "List every flow with its steps, to search in them.",
    path: `${w}/list_search`,
    access: listAll,
    params: inWorkspace,
    reply: { json: z.array(z.object({ path: z.string(), value: flowValueSchema })) },
    errors: [],
  }),
  getFlowVersion: defineRoute({
    ...read,
    name: "flows.getByHash",
    summary: "Get an exact version.",
    path: `${w}/get/v/{version}`,
    access: readVersion,
    params: atVersion,
    reply: { json: flowSchema },
    errors: ["flow.versionNotFound"],
  }),
  getFlow: defineRoute({
    ...read,
    name: "flows.get",
    summary: "Get the newest version at a path.",
    path: `${w}/get/{path+}`,
    version: "shown",
    access: readPath,
    params: z.object({ workspace: workspaceId, path: anyPath }),
    query: z.object({ with_starred_info: flag.optional().describe("Adds whether you have starred the flow."), get_draft: flag.optional() }),
    reply: { json: flowSchema },
    errors: ["flow.notFound"],
  }),
  existsFlow: defineRoute({
    ...read,
    name: "flows.exists",
    summary: "Check whether there is a flow at a path.",
    path: `${w}/exists/{path+}`,
    access: { domain: "flows", verb: "read", need: "read", target: "path", hiddenAs: false },
    params: atPath,
    reply: { json: z.boolean() },
    errors: [],
  }),
  flowHistory: defineRoute({
    ...read,
    name: "flows.history",
    summary: "List the versions saved at a path, newest first.",
    path: `${w}/history/p/{path+}`,
    access: readPath,
    params: atPath,
    reply: { json: z.array(historyItem) },
    errors: ["flow.notFound"],
  }),
  latestFlowVersion: defineRoute({
    ...read,
    name: "flows.latestVersion",
    summary: "Get the history entry of the newest version.",
    path: `${w}/get_latest_version/{path+}`,
    access: readPath,
    params: atPath,
    reply: { json: historyItem },
    errors: ["flow.notFound"],
  }),
  updateFlowHistory: defineRoute({
    ...post,
    name: "flows.updateByHash",
    summary: "Change the deployment message of a version.",
    path: `${w}/history_update/v/{version}`,
    access: { domain: "flows", verb: "write", need: "write", target: "version", hiddenAs: "flow.versionNotFound" },
    operation: "flows.update",
    audits: { kind: "Updated", resource: { reply: "named", before: { param: "version" } } },
    params: atVersion,
    body: z.object({ deployment_msg: z.string().max(1000).nullish() }),
    reply: { text: "A confirmation." },
    errors: ["flow.versionNotFound"],
  }),
  flowDeploymentStatus: defineRoute({
    ...read,
    name: "flows.deploymentStatus",
    summary: "Get the deployment status of the newest version's inline scripts and state machine.",
    path: `${w}/deployment_status/p/{path+}`,
    access: readPath,
    params: atPath,
    reply: { json: z.object({ lock_error_logs: z.string().optional(), job_id: jobId.optional() }) },
    errors: ["flow.notFound"],
  }),
  flowMachineAtVersion: defineRoute({
    ...read,
    name: "flows.getMachineByHash",
    summary: "Get the state machine of an exact version, with a diagram.",
    path: `${w}/machine/v/{version}`,
    access: readVersion,
    params: atVersion,
    reply: { json: machineSchema },
    errors: ["flow.versionNotFound", "flow.noMachine"],
  }),
  flowMachine: defineRoute({
    ...read,
    name: "flows.getMachine",
    summary: "Get the state machine of the newest version at a path, with a diagram.",
    path: `${w}/machine/p/{path+}`,
    access: readPath,
    params: atPath,
    reply: { json: machineSchema },
    errors: ["flow.notFound", "flow.noMachine"],
  }),
  flowWebhooks: defineRoute({
    ...read,
    name: "flows.webhooks",
    summary: "List every URL that runs this flow, each with a curl command.",
    path: `${w}/webhooks/{path+}`,
    access: readPath,
    params: atPath,
    reply: { json: z.array(z.object({ kind: z.string(), method: z.string(), url: z.string(), curl: z.string() })) },
    errors: ["flow.notFound"],
  }),
  listFlowTokens: defineRoute({
    ...read,
    name: "flows.listTokens",
    summary: "List your tokens that have a scope to run this flow by its path, without their values.",
    path: `${w}/list_tokens/{path+}`,
    access: readPath,
    params: atPath,
    reply: { json: z.array(truncatedTokenSchema) },
    errors: ["flow.notFound"],
  }),
  countFlowTriggers: defineRoute({
    ...read,
    name: "flows.countTriggers",
    summary: "Count the schedules and triggers of this flow, and your tokens that have a scope to run it, which count as webhooks.",
    path: `${w}/get_triggers_count/{path+}`,
    access: readPath,
    params: atPath,
    reply: { json: triggerCountsSchema },
    errors: ["flow.notFound"],
  }),
  muteFlowErrorHandler: defineRoute({
    ...post,
    name: "flows.muteErrorHandler",
    summary: "Set whether the workspace's error handler ignores failures of the newest version of a flow.",
    path: `${w}/toggle_workspace_error_handler/{path+}`,
    version: "expected",
    access: writePath,
    audits: { kind: "Updated", resource: { param: "path" } },
    params: atPath,
    body: z.object({ muted: z.boolean().nullish() }),
    reply: { text: "A confirmation." },
    errors: ["flow.notFound", "flow.changedMeanwhile"],
  }),
  getFlowFailureNotice: defineRoute({
    ...read,
    name: "flows.getFailureNotice",
    summary:
      "Get the members who receive a mail when runs of a flow fail or recover, as its authors have set it. Other rules of the workspace are not shown.",
    path: `${w}/get_failure_notice/{path+}`,
    access: readPath,
    params: atPath,
    reply: { json: shownFailureNoticeSchema },
    errors: ["flow.notFound"],
  }),
  editFlowFailureNotice: defineRoute({
    ...post,
    name: "flows.editFailureNotice",
    summary: "Set which members receive a mail when runs of a flow fail or recover. Other rules of the workspace remain.",
    path: `${w}/edit_failure_notice/{path+}`,
    access: writePath,
    audits: { kind: "Updated", resource: { param: "path" } },
    params: atPath,
    body: ownFailureNoticeSchema,
    reply: { text: "A confirmation." },
    errors: ["flow.notFound", "workspace.notFound", "access.changedMeanwhile"],
  }),
  archiveFlow: defineRoute({
    ...post,
    name: "flows.archive",
    summary: "Archive or restore a flow. An archived flow cannot be run by its path, but its versions remain.",
    path: `${w}/archive/{path+}`,
    version: "expected",
    access: writePath,
    audits: { kind: "Delete", resource: { param: "path" } },
    params: atPath,
    body: z.object({ archived: z.boolean().optional() }),
    reply: { text: "A confirmation." },
    errors: ["flow.notFound", "flow.changedMeanwhile"],
  }),
  deleteFlow: defineRoute({
    ...read,
    method: "DELETE",
    name: "flows.delete",
    summary: "Delete a flow with all its versions. The request also succeeds if the flow does not exist.",
    path: `${w}/delete/{path+}`,
    version: "expected",
    access: writePath,
    audits: { kind: "Delete", resource: { param: "path" }, inSteps: true },
    params: atPath,
    query: z.object({ keep_captures: flag.optional() }),
    reply: pathText,
    // The response for callers who may not know whether the flow exists.
    errors: ["flow.notFound", "flow.changedMeanwhile"],
  }),
};
