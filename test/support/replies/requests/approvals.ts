import { bad, closed, found, good, type Parts, type Steps, whole, work } from "../exchange.ts";
import { aScript } from "./objects-in-use.ts";

const none = "00000000-0000-4000-8000-000000000000";
const noSignature = "0".repeat(64);

/** A run that waits at its gate. Later requests name it `run`, its gate `gate`, and the signature of a link to it `signature`. */
const asked = (path = "f/t/asks", resume_id = 1): Steps => [
  good("runFlowByPath", { params: { path }, json: { amount: 7 }, keep: { run: whole }, alone: true }),
  work,
  good("pendingApprovals", { keep: { gate: (body) => (JSON.parse(body) as { gate_id: string }[])[0]?.gate_id }, alone: true }),
  good("jobSignature", { params: { id: "<run>", resume_id }, keep: { signature: whole }, alone: true }),
];
const link = { id: "<run>", resume_id: 1, signature: "<signature>" };
const noLink = { ...link, signature: noSignature };
const noMail = { from: "nobody" } as const satisfies Parts;

export const approvals: Steps = [
  ...aScript,
  good("createFlow", {
    json: {
      path: "f/t/asks",
      summary: "Asks first",
      value: {
        modules: [
          {
            id: "ask",
            summary: "May we?",
            value: { type: "identity" },
            suspend: { required_events: 1, timeout: 3600, inputs: ["amount"] },
          },
          { id: "buy", value: { type: "script", path: "f/t/script" } },
        ],
      },
    },
    alone: true,
  }),
  good("createFlow", {
    json: {
      path: "f/t/consents",
      summary: "",
      value: { modules: [{ id: "really", value: { type: "consentgate", approvers: ["u/ann"], message: "Really {{ context.amount }}?" } }] },
    },
    alone: true,
  }),
  work,
  ...asked(),
  ...closed("pendingApprovals"),
  bad("pendingApprovals", { query: { before: "none" } }),
  ...found("resumeUrls", { id: "<run>", resume_id: 1 }, { id: none, resume_id: 1 }),
  bad("resumeUrls", { params: { id: "<run>", resume_id: -1 } }),
  ...found("jobSignature", { id: "<run>", resume_id: 1 }, { id: none, resume_id: 1 }),
  ...found("suspendedFlow", link, noLink, noMail),
  good("approvalInfo", { params: { job_id: "<gate>" }, from: "ann" }),
  bad("approvalInfo", { params: { job_id: "<gate>" }, from: "nobody" }),
  ...found("run", { run_id: "<run>" }, { run_id: none }),
  bad("askInSlack", { params: { id: none }, query: { slack_resource_path: "f/t/slack", flow_step_id: "ask" } }),
  bad("askInDiscord", { params: { id: none }, json: { discord_resource_path: "f/t/discord", flow_step_id: "ask" } }),
  bad("askInTeams", { params: { id: none }, query: { team_name: "Release", channel_name: "General", flow_step_id: "ask" } }),
  bad("postInTeams", { json: { conversation_id: "19:none@thread.tacv2", text: "Hello" } }),
  bad("teams", { ...noMail, params: { path: "f/t/teams" }, json: {} }),
  bad("slack", { ...noMail, params: { path: "f/t/slack" }, json: {} }),
  bad("discord", { ...noMail, params: { path: "f/t/discord" }, json: {} }),
  ...found("notifyAgain", { gate: "<gate>" }, { gate: none }),
  ...found("resumeByLink", link, noLink, { ...noMail, json: { answer: 42 } }),
  bad("resumeByLink", { ...noMail, params: link, json: {} }),
  good("run", { params: { run_id: "<run>" } }),
  ...asked(),
  ...found("resumeByGet", link, noLink, { ...noMail, headers: { "Sec-Fetch-Mode": "cors" } }),
  ...asked(),
  ...found("cancelByLink", link, noLink, { ...noMail, json: { reason: "Too much" } }),
  ...asked(),
  ...found("cancelByGet", link, noLink, { ...noMail, headers: { "Sec-Fetch-Mode": "cors" } }),
  ...asked(),
  good("resumeSuspended", { params: { job_id: "<gate>" }, json: { payload: { answer: 42 }, approved: true }, from: "ann" }),
  bad("resumeSuspended", { params: { job_id: "<gate>" }, json: { approved: 1 }, from: "ann" }),
  bad("resumeSuspended", { params: { job_id: none }, json: {}, from: "ann" }),
  ...asked(),
  ...found("resumeFlow", { id: "<run>" }, { id: none }, { json: { answer: 42 } }),
  ...asked("f/t/consents"),
  ...found("consent", { run_id: "<run>" }, { run_id: none }, { json: { decision: "rejected", reason: "Too much" } }),
  bad("consent", { params: { run_id: "<run>" }, json: { decision: "perhaps" } }),
  ...closed("auditApprovals"),
  good("auditApprovals", { query: { format: "csv" } }),
  bad("auditApprovals", { query: { format: "xml" } }),
  ...closed("verifyApprovals"),
  ...closed("listAnchors"),
  ...closed("webhookSecret"),
  ...closed("rotateWebhookSecret"),
  ...closed("workspaceWebhookSecret"),
  ...closed("rotateWorkspaceWebhookSecret"),
];
