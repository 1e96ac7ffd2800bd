import { handleJobMessage } from "../../../../services/execution/handle-job-message.ts";
import { housekeep } from "../../use-cases/world-jobs.ts";
import { deliver } from "../deliver.ts";
import { type Event, good, type Parts, type RouteKey, type Stage, type Steps, work } from "../exchange.ts";

const at = (path: string): Parts => ({ params: { path } });
const all = (...routes: RouteKey[]): Steps => routes.map((route) => good(route));
const named = (name: string): Parts => ({ params: { name } });
const typeOfWorkspace = (body: string) => JSON.stringify((JSON.parse(body) as { name: string }[]).filter(({ name }) => name === "c_store"));

const people: Steps = [
  ...all("globalWhoami", "listUsers", "listMembers", "listGroups", "listFolders", "listInvitesOfWorkspace", "listAllWorkspaces"),
  ...all("exportInstanceGroups", "listTokens", "getSettings", "listGlobal", "listConnects", "listAudit", "listInstanceAudit"),
  good("globalWhoami", { token: "<expiring>" }),
  good("whoami", { from: "bob" }),
  good("getGroup", named("team")),
  good("getFolder", named("t")),
  good("getAcl", { params: { kind: "folder", path: "t" } }),
  good("getInstanceGroup", named("staff")),
  good("redeemDeviceCode", {
    json: { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: "<device>" },
    from: "nobody",
  }),
];

const objects: Steps = [
  ...all("listVariables", "listResources", "listScripts", "listFlows", "listApps", "listDrafts", "listDependencies", "listSchedules"),
  good("listResourceTypes", { show: typeOfWorkspace }),
  good("getVariable", at("f/t/plain")),
  good("getVariable", at("f/t/secret")),
  good("getVariableValue", at("f/t/acme")),
  good("getResourceValueInterpolated", at("f/t/store")),
  good("getResourceType", named("c_store")),
  good("getScriptByPath", at("f/t/script")),
  good("getScriptByHash", { params: { hash: "<python>" } }),
  good("scriptHistory", at("f/t/script")),
  good("diffScripts", { json: { scripts: { "f/t/script": "<temporary>" } } }),
  good("getFlow", at("f/t/asks")),
  good("getFlowVersion", { params: { version: "<version>" } }),
  good("flowHistory", at("f/t/asks")),
  good("flowMachine", at("f/t/asks")),
  good("getApp", at("f/t/app")),
  good("getAppVersion", { params: { version: "<appVersion>" } }),
  good("appHistory", at("f/t/app")),
  good("getDraft", { params: { kind: "script", path: "f/t/script" } }),
  good("getLatestDependencies", { params: { language: "python3" }, query: { name: "web" } }),
  good("downloadFile", { query: { file_key: "f/t/one.txt" } }),
  good("getSchedule", at("f/t/hourly")),
  good("getEncryptionKey"),
];

const triggers: Steps = [
  ...all("http_triggers.list", "sqs_triggers.list", "aws_triggers.list", "email_triggers.list"),
  good("http_triggers.get", at("f/t/http")),
  good("sqs_triggers.get", at("f/t/queue")),
  good("sqs_triggers.get", at("f/t/polled")),
  good("aws_triggers.get", at("f/t/topic")),
  good("email_triggers.get", at("f/t/mail")),
  // The route finds its sealed credential.
  requireStatus(401, ({ callHttpRoute }) => callHttpRoute("stored-03/orders/1", {}, { "x-api-key": "wrong" })),
  requireStatus(201, ({ callHttpRoute }) => callHttpRoute("stored-03/orders/1", { x: "route" }, { "x-api-key": "s3cret text" })),
];

const runs: Steps = [
  ...all("countQueue", "auditApprovals", "pendingApprovals"),
  // The KMS key of each engine is another one, so that none accepts the signature.
  good("listAnchors", { show: (body) => body.replace(/"signature":"(in)?valid"/g, '"signature":"checked"') }),
  good("listCompleted"),
  good("listQueue", { query: { script_path_exact: "f/t/script" } }),
  good("getJob", { params: { id: "<run>" } }),
  good("getJob", { params: { id: "<once>" } }),
  good("getResult", { params: { id: "<once>" } }),
  good("getLogs", { params: { id: "<once>" } }),
  good("getJob", { params: { id: "<later>" } }),
  good("getArgs", { params: { id: "<large>" } }),
  good("getResult", { params: { id: "<large>" } }),
  good("getJob", { params: { id: "<secretive>" } }),
  good("getJob", { params: { id: "<nesting>" } }),
  good("getJob", { params: { id: "<restarted>" } }),
  good("getJob", { params: { id: "<early>" } }),
  good("run", { params: { run_id: "<run>" } }),
  good("getUserState", { params: { id: "<run>", key: "seen" } }),
  good("run", { params: { run_id: "<decided>" } }),
  good("runScriptByPath", { ...at("f/t/script"), json: { x: "once" }, headers: { "Idempotency-Key": "once" } }),
  good("suspendedFlow", { params: { id: "<run>", resume_id: 1, signature: "<signature>" }, from: "nobody" }),
];

const events: Steps = [
  ...all("listWebhooks", "listDeliveries", "workspaceWebhookSecret"),
  good("jwks", { from: "nobody" }),
  // The receiver is available again.
  async (stage) => {
    stage.world.clock.nowMs += 10 * 3600_000;
    const sent = await deliver(stage);
    if (!sent.includes("https://hooks.example.com/a")) throw new Error(`The delivery was not sent, but ${sent}.`);
  },
  good("listDeliveries"),
];

const runNow =
  (name: string): Event =>
  ({ world, kept }) =>
    handleJobMessage(world.deps, { job: kept[name] ?? "" });

/** The jobs and gates that waited in the stored state continue. */
const continued: Steps = [
  good("consent", { params: { run_id: "<run>" }, json: { decision: "approved" } }),
  good("auditApprovals"),
  runNow("queued"),
  good("getResult", { params: { id: "<queued>" } }),
  good("runNow", { params: { id: "<later>" } }),
  work,
  good("getResult", { params: { id: "<later>" } }),
  good("http_triggers.setMode", { ...at("f/t/held"), json: { mode: "enabled" } }),
  // Housekeeping runs the schedule and the waiting jobs, and removes partly deleted objects.
  async ({ world }) => {
    world.clock.nowMs += 3600_000;
    await housekeep(world);
  },
  work,
  good("listCompleted", { query: { trigger_kind: "http" } }),
  good("listSchedulesWithJobs"),
];

/** Throws if a call of a user's route has another status. */
function requireStatus(status: number, call: (stage: Stage) => ReturnType<Stage["callHttpRoute"]>): Event {
  return async (stage) => {
    const reply = await call(stage);
    if (reply.statusCode !== status) throw new Error(`The route answers ${reply.statusCode} ${reply.body}.`);
  };
}

/** The requests that read and continue the stored state of an instance. */
export const reads: Steps = [...people, ...objects, ...triggers, ...runs, ...events, ...continued];
