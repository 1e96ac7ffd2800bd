import * as z from "zod";
import { actions } from "../../access/actions.ts";
import { refusalNames } from "../../approvals/refusals.ts";
import { anyJson, approverName, flag, inWorkspace, jobId, jsonObject, timestamp, workspaceId } from "../../common.ts";
import { defineRoute } from "../../route.ts";
import { jobSchema } from "../jobs/job.ts";

const { decide } = actions;
const w = "/api/w/{workspace}";
const resumeId = z.coerce.number().int().min(0).max(0xffff_ffff).describe("An unsigned 32-bit number. Each number counts once.");
const approver = approverName.optional().describe("Name of the approver, as the flow sees it.");
const atLink = z.object({ workspace: workspaceId, id: jobId, resume_id: resumeId, signature: z.string().max(200) });
const atGateJob = z.object({ workspace: workspaceId, job_id: jobId });
const atRun = z.object({ run_id: jobId });

const urlsSchema = z.object({
  approvalPage: z.string().describe("The approval page. Opening it does not decide anything."),
  resume: z.string().describe("Secret URL. `POST` approves; the JSON body is the payload."),
  cancel: z.string().describe("Secret. `POST` rejects."),
});

const approverSchema = z.object({ resume_id: z.int(), approver: z.string() });

const conditionsSchema = z.object({
  user_auth_required: z.boolean(),
  user_groups_required: z.array(z.string()),
  self_approval_disabled: z.boolean(),
});

/** The decision of a gate. `by` is absent after a timeout and for a link without an approver name. */
const decisionSchema = z.object({
  how: z.enum(["approved", "rejected", "expired"]),
  by: z.string().optional(),
  reason: z.string().optional(),
  at: timestamp,
});

/** The content of the approval page. api.md defines the fields up to `view_token`; the others are additions. */
export const approvalInfoSchema = z.object({
  flow_id: jobId,
  form_schema: jsonObject.optional().describe("JSON Schema of the form's values; `order` is the order of its fields."),
  description: anyJson.optional().describe("Text, or `{render_all: […]}` with one entry for each item to show."),
  approval_conditions: conditionsSchema.optional(),
  can_approve: z.boolean(),
  user_auth_required: z.boolean(),
  hide_cancel: z.boolean().optional(),
  reject_reason_required: z.boolean().optional().describe("A rejection without a reason is refused. Absent: a reason is optional."),
  skin: z.enum(["detailed", "minimal"]),
  step_summary: z.string().optional(),
  flow_summary: z.string().optional(),
  approvers: z.array(approverSchema),
  view_token: z.string().optional(),

  gate_id: jobId,
  kind: z.enum(["suspend", "consent"]),
  module_id: z.string(),
  /** `waiting`: the step has not requested approval yet. `canceled`: the run ended without a decision. */
  state: z.enum(["waiting", "open", "approved", "rejected", "expired", "canceled"]),
  decision: decisionSchema.optional(),
  run_state: z.string().describe("Current state of the flow's job, after the decision."),
  required_events: z.int(),
  deadline: timestamp.optional(),
  requested_by: z.string(),
  flow_path: z.string().optional(),
  opened_at: timestamp.optional(),
  message: z.string().optional().describe("For a ConsentGate: its message with the values filled in."),
  context: jsonObject.optional().describe("For a ConsentGate: the flow's input and the results by step."),
  inputs: jsonObject.optional().describe("The inputs named in the step's `suspend.inputs`."),
  default_args: jsonObject.optional(),
  enums: z.record(z.string(), z.array(z.string())).optional(),
  signed_in_as: z.string().optional(),
  refused: z.enum(refusalNames).optional(),
});
export type ApprovalInfo = z.output<typeof approvalInfoSchema>;

const suspendedFlowSchema = z.object({ job: jobSchema, approvers: z.array(approverSchema), view_token: z.string().optional() });

const runGateSchema = z.object({
  gate_id: jobId,
  module_id: z.string(),
  kind: z.enum(["suspend", "consent"]),
  summary: z.string().optional(),
  message: z.string().optional(),
  approvers: z.array(z.string()).describe("The approvers: `u/<user>`, `g/<group>`, `role:admin` or an e-mail address."),
  approved_by: z.array(z.string()),
  required_events: z.int(),
  opened_at: timestamp,
  deadline: timestamp.optional(),
  decision: decisionSchema.optional(),
  links: z
    .object({ resume: z.array(z.string()), cancel: z.string(), approvalPage: z.string() })
    .optional()
    .describe(
      "Secret links, shown while the gate is open to callers who may create links. There is one link for each required approval, and each counts once.",
    ),
  notices: z
    .array(
      z.object({
        what: z.string(),
        channel: z.string(),
        to: z.string(),
        state: z.enum(["sent", "retrying", "failed"]),
        attempts: z.int(),
        at: timestamp,
        error: z.string().optional(),
      }),
    )
    .optional(),
});
export const runSchema = z.object({
  run_id: jobId,
  workspace_id: z.string(),
  flow_path: z.string().optional(),
  state: z.enum(["queued", "running", "suspended", "awaiting_approval", "succeeded", "failed", "canceled", "skipped"]),
  triggered_by: z.string(),
  created_at: timestamp,
  gates: z.array(runGateSchema),
  context: jsonObject.describe("The flow's input and the results by step; after a rejection also `rejection_reason`."),
});
export type RunJson = z.output<typeof runSchema>;

const pendingApprovalSchema = z.object({
  gate_id: jobId,
  run_id: jobId,
  flow_id: jobId,
  flow_path: z.string().optional(),
  module_id: z.string(),
  kind: z.enum(["suspend", "consent"]),
  summary: z.string().optional(),
  requested_by: z.string(),
  opened_at: timestamp,
  deadline: timestamp.optional(),
  page: z.string().describe("URL of the approval page for signed-in users."),
});
export type PendingApprovalJson = z.output<typeof pendingApprovalSchema>;

/** Any JSON value, or an empty body. */
const payload = { payload: true } as const;
const outcome = { text: "The outcome of the decision." };
/** Errors of a token that is sent in addition to a link, and of finding the step of a link. */
const findErrors = ["auth.invalid", "approval.link", "approval.none", "approval.over", "approval.person", "approval.notYet"] as const;
const linkErrors = [
  ...findErrors,
  "approval.decided",
  "approval.used",
  "approval.full",
  "approval.refused",
  "approval.form",
  "approval.reasonRequired",
  "body.notJson",
  "body.tooLarge",
  "payload.base64",
] as const;
/** The access of a caller who sends a token together with a link or on the page. */
const readsAsCaller = { domain: "approvals", verb: "read", need: "self", target: "job" } as const;
const byLink = {
  fn: "approve",
  auth: "none",
  callerAccess: decide.access,
  params: atLink,
  status: 201,
  reply: outcome,
  errors: linkErrors,
} as const;

const runJob = { domain: "approvals", verb: "write", need: "run", target: "job" } as const;

export const approvalRoutes = {
  resumeUrls: defineRoute({
    name: "approvals.mint",
    summary: "Create the secret URLs that approve or reject a step, and the URL of its approval page.",
    method: "GET",
    path: `${w}/jobs/resume_urls/{id}/{resume_id}`,
    access: runJob,
    audits: "nothing",
    fn: "approve",
    auth: "token",
    params: z.object({ workspace: workspaceId, id: jobId, resume_id: resumeId }),
    query: z.object({
      approver,
      flow_level: flag.optional().describe("The URLs apply to the next step of the flow that requests approval, even before it does."),
    }),
    status: 200,
    reply: { json: urlsSchema },
    errors: ["job.notFound", "approval.none"],
  }),
  jobSignature: defineRoute({
    name: "approvals.mintSignature",
    summary: "Create the signature used in the approval URLs of a step.",
    method: "GET",
    path: `${w}/jobs/job_signature/{id}/{resume_id}`,
    access: runJob,
    audits: "nothing",
    fn: "approve",
    auth: "token",
    params: z.object({ workspace: workspaceId, id: jobId, resume_id: resumeId }),
    query: z.object({ approver, flow_level: flag.optional() }),
    status: 200,
    reply: { text: "64 hex digits." },
    errors: ["job.notFound", "approval.none"],
  }),
  resumeByLink: defineRoute({
    ...byLink,
    ...payload,
    name: "approvals.resumeByLink",
    summary: "Approve with a link. The body is the payload for the flow: any JSON value, or empty.",
    method: "POST",
    path: `${w}/jobs_u/resume/{id}/{resume_id}/{signature}`,
    access: "open",
    audits: "approvalLog",
    hiddenInLogs: ["signature"],
    query: z.object({ approver }),
  }),
  resumeByGet: defineRoute({
    ...byLink,
    name: "approvals.resumeByGet",
    summary:
      "Approve with a link in a GET request, for programs. A browser or a link scanner is redirected to the page instead, and nothing is decided.",
    method: "GET",
    path: `${w}/jobs_u/resume/{id}/{resume_id}/{signature}`,
    access: "open",
    audits: "approvalLog",
    hiddenInLogs: ["signature"],
    query: z.object({ approver, payload: z.string().optional().describe("JSON, encoded in base64.") }),
  }),
  cancelByLink: defineRoute({
    ...byLink,
    ...payload,
    name: "approvals.cancelByLink",
    summary: "Reject with a link. The body may contain a payload. Its `reason` is stored with the decision; some steps require one.",
    method: "POST",
    path: `${w}/jobs_u/cancel/{id}/{resume_id}/{signature}`,
    access: "open",
    audits: "approvalLog",
    hiddenInLogs: ["signature"],
    query: z.object({ approver }),
  }),
  cancelByGet: defineRoute({
    ...byLink,
    name: "approvals.cancelByGet",
    summary: "Reject with a link in a GET request, for programs.",
    method: "GET",
    path: `${w}/jobs_u/cancel/{id}/{resume_id}/{signature}`,
    access: "open",
    audits: "approvalLog",
    hiddenInLogs: ["signature"],
    query: z.object({ approver, payload: z.string().optional().describe("JSON, encoded in base64.") }),
  }),
  suspendedFlow: defineRoute({
    name: "approvals.suspendedFlow",
    summary: "Get the flow of a link, as far as its holder may see it.",
    method: "GET",
    path: `${w}/jobs_u/get_flow/{id}/{resume_id}/{signature}`,
    access: "open",
    hiddenInLogs: ["signature"],
    callerAccess: readsAsCaller,
    fn: "approve",
    auth: "none",
    params: atLink,
    query: z.object({ approver }),
    status: 200,
    reply: { json: suspendedFlowSchema },
    errors: findErrors,
  }),
  approvalInfo: defineRoute({
    name: "approvals.info",
    summary: "Get the content of the approval page, with a link's token or signed in.",
    method: "GET",
    path: `${w}/jobs_u/flow/approval_info/{job_id}`,
    access: "open",
    callerAccess: readsAsCaller,
    fn: "approve",
    auth: "none",
    params: atGateJob,
    query: z.object({
      token: z
        .string()
        .max(400)
        .optional()
        .describe("Either the link's token, `<resume id>.<signature>.<approver>`, or a token of the caller."),
    }),
    status: 200,
    reply: { json: approvalInfoSchema },
    errors: findErrors,
  }),
  resumeSuspended: defineRoute({
    name: "approvals.decide",
    summary: "Approve or reject like the approval page. `job_id`: the flow's job or the gate's job.",
    method: "POST",
    path: `${w}/jobs_u/flow/resume_suspended/{job_id}`,
    access: "open",
    audits: "approvalLog",
    callerAccess: decide.access,
    fn: "approve",
    auth: "none",
    params: atGateJob,
    body: z.object({
      payload: anyJson.optional(),
      approval_token: z.string().max(400).optional().describe("The link's token: `<resume id>.<signature>.<approver>`."),
      approved: z.boolean().optional().describe("Default: true."),
      reason: z.string().max(2000).optional(),
    }),
    status: 200,
    reply: outcome,
    errors: linkErrors,
  }),
  resumeFlow: defineRoute({
    name: "approvals.resumeFlow",
    summary: "Approve as a user who may cancel the flow. The body is the payload.",
    method: "POST",
    path: `${w}/jobs/flow/resume/{id}`,
    access: runJob,
    audits: "approvalLog",
    fn: "approve",
    auth: "token",
    params: z.object({ workspace: workspaceId, id: jobId }),
    ...payload,
    status: 201,
    reply: outcome,
    errors: [...linkErrors, "job.notFound"],
  }),
  consent: defineRoute({
    name: "approvals.consent",
    summary: "Decide a ConsentGate.",
    method: "POST",
    path: "/api/v1/runs/{run_id}/consent",
    access: decide.access,
    audits: "approvalLog",
    fn: "approve",
    auth: "token",
    params: atRun,
    body: z.object({
      decision: z.enum(["approved", "rejected"]),
      reason: z.string().max(2000).optional(),
      gate: z.string().max(100).optional().describe("Module id or gate id. Required if several gates are waiting."),
    }),
    status: 200,
    reply: {
      json: z.object({ run_id: jobId, state: z.string(), decision: z.string(), approver: z.string(), reason: z.string().nullable() }),
    },
    errors: [
      "job.notFound",
      "approval.none",
      "approval.several",
      "approval.decided",
      "approval.over",
      "approval.refused",
      "approval.reasonRequired",
      "approval.used",
    ],
  }),
  run: defineRoute({
    name: "approvals.run",
    summary: "Get the state of a run, its open and decided gates, and the content of these gates.",
    method: "GET",
    path: "/api/v1/runs/{run_id}",
    access: { domain: "approvals", verb: "read", need: "read", target: "job" },
    fn: "approve",
    auth: "token",
    params: atRun,
    status: 200,
    reply: { json: runSchema },
    errors: ["job.notFound"],
  }),
  pendingApprovals: defineRoute({
    name: "approvals.pending",
    summary:
      "List the requests that the caller may decide now, each page oldest first. A page carries the header `x-svc-before` if further requests " +
      "may wait: send it as `before` to continue.",
    method: "GET",
    path: `${w}/approvals/pending`,
    access: { domain: "approvals", verb: "read", need: "member", target: "list" },
    fn: "approve",
    auth: "token",
    params: inWorkspace,
    query: z.object({ before: jobId.optional().describe("The header `x-svc-before` of the previous page.") }),
    status: 200,
    reply: {
      json: z.array(pendingApprovalSchema),
    },
    errors: [],
  }),
};
