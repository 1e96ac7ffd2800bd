import { failedAttempt } from "../../../../core/deliveries/attempt.ts";
import { triggerObject } from "../../../../core/triggers/trigger.ts";
import { sealJsonForAccounts, sealLocations } from "../../../../services/accounts/account-key.ts";
import { signChainHeads } from "../../../../services/approvals/audit-log/sign-heads.ts";
import { recordFault } from "../../../../services/triggers/faults.ts";
import { withFault } from "../../use-cases/failing-writes.ts";
import { failure, success } from "../../use-cases/world.ts";
import { housekeep, newIsolation } from "../../use-cases/world-jobs.ts";
import { deliver } from "../deliver.ts";
import { bad, field, good, type Parts, type Stage, type Steps, whole, work } from "../exchange.ts";
import { publishKey } from "../publish-key.ts";

const script = { language: "bash", content: "echo done", summary: "Says when it is done" };
const runsScript = { script_path: "f/t/script", is_flow: false };
const day = 24 * 3600_000;

const pass =
  (ms: number) =>
  async ({ world }: Stage) => {
    world.clock.nowMs += ms;
  };

const people: Steps = [
  publishKey,
  good("createFolder", { json: { name: "t", summary: "Of the team" } }),
  good("createFolder", { json: { name: "old" } }),
  good("deleteFolder", { params: { name: "old" } }),
  good("createGroup", { json: { name: "team", summary: "The team" } }),
  good("createGroup", { json: { name: "old" } }),
  good("deleteGroup", { params: { name: "old" } }),
  good("addToGroup", { params: { name: "team" }, json: { username: "bob" } }),
  good("addAcl", { params: { kind: "folder", path: "t" }, json: { owner: "g/team", write: true } }),
  good("createUser", { json: { email: "cleo@example.com", super_admin: false, password: "A long password 1!" } }),
  good("inviteMember", { json: { email: "dan@example.com", is_admin: false, operator: true } }),
  good("createInstanceGroup", { json: { name: "staff", summary: "All of us", instance_role: "superadmin" } }),
  good("addToInstanceGroup", { params: { name: "staff" }, json: { email: "cleo@example.com" } }),
  good("setGlobal", { params: { key: "timeout_wait_result" }, json: { value: 7 } }),
  good("setGlobal", {
    params: { key: "aws_trigger_sources" },
    json: { value: { "stored-03": ["arn:aws:sns:us-east-1:000000000000:news"] } },
  }),
  good("editApprovals", { json: { every_get_counts: true } }),
  good("createToken", { json: { label: "expires", expiration: "2031-12-01T00:00:00Z" }, keep: { expiring: whole } }),
];

const objects: Steps = [
  good("createVariable", { json: { path: "f/t/plain", value: "plain text", is_secret: false, description: "Plain" } }),
  good("createVariable", { json: { path: "f/t/secret", value: "s3cret text", is_secret: true } }),
  good("createResourceType", { json: { name: "c_store", schema: { type: "object" }, description: "A store" } }),
  good("createResource", {
    json: { path: "f/t/store", value: { host: "example.com", password: "$var:f/t/secret" }, resource_type: "c_store" },
  }),
  good("createScript", { json: { path: "f/t/script", ...script }, keep: { hash: whole } }),
  work,
  async ({ world }) => {
    world.answers.build = async () => ({ ok: true, lock: "requests==2.32.0\n", sha256: "1".repeat(64), bytes: 1, log: "built\n" });
  },
  good("createScript", {
    json: { path: "f/t/python", language: "python3", content: "import requests\ndef main():\n  pass\n", summary: "Has a lock" },
    keep: { python: whole },
  }),
  work,
  good("createFlow", {
    json: {
      path: "f/t/asks",
      summary: "Asks first",
      value: {
        modules: [
          { id: "ask", value: { type: "consentgate", approvers: ["u/ann"], notification: { channel: "email" }, message: "Really?" } },
          { id: "say", value: { type: "script", path: "f/t/script" } },
        ],
      },
    },
  }),
  work,
  good("getFlow", { params: { path: "f/t/asks" }, keep: { version: field("version_id") } }),
  good("createApp", {
    json: { path: "f/t/app", value: { grid: [] }, summary: "Shows", policy: { execution_mode: "viewer" }, custom_path: "shows" },
  }),
  good("updateApp", { params: { path: "f/t/app" }, json: { value: { grid: [1] } }, keep: { appVersion: field("version") } }),
  good("createApp", { json: { path: "f/t/half", value: {}, summary: "", policy: { execution_mode: "viewer" } } }),
  // The function dies after the app is deleted and before its versions are.
  (stage) => withFault({ write: 2, moment: "after", kind: "death" }, () => stage.send(good("deleteApp", { params: { path: "f/t/half" } }))),
  good("updateDraft", { params: { kind: "script", path: "f/t/script" }, json: { value: { content: "echo soon" } } }),
  good("createDependencies", { json: { language: "python3", content: "requests==2.32.0\n", name: "web" } }),
  good("createDependencies", { json: { language: "python3", content: "requests==2.32.1\n", name: "web" } }),
  good("uploadFile", { query: { file_key: "f/t/one.txt", content_type: "text/plain" }, text: "a text" }),
];

/** A decided gate, and the marks of housekeeping. */
const approved: Steps = [
  good("runFlowByPath", { params: { path: "f/t/asks" }, json: {}, keep: { decided: whole } }),
  work,
  good("consent", { params: { run_id: "<decided>" }, json: { decision: "approved" } }),
  // One item of a task fails.
  async ({ world }) => newIsolation(world).attempt("refreshAccounts", "an item", async () => Promise.reject(new Error("It is damaged."))),
  ({ world }) => housekeep(world),
];

const waiting: Steps = [
  good("runFlowByPath", { params: { path: "f/t/asks" }, json: { amount: 7 }, keep: { run: whole } }),
  work,
  good("pendingApprovals", { keep: { gate: field("gate_id") } }),
  good("jobSignature", { params: { id: "<run>", resume_id: 1 }, keep: { signature: whole } }),
  good("setUserState", { params: { id: "<run>", key: "seen" }, json: { at: 3 } }),
  good("notifyAgain", { params: { gate: "<gate>" } }),
  good("workspaceWebhookSecret", { keep: { webhookSecret: field("secret") } }),
  good("createWebhook", { json: { url: "https://hooks.example.com/a", events: ["CreateVariable"] }, keep: { endpoint: field("id") } }),
  good("createVariable", { json: { path: "f/t/event", value: "v", is_secret: false } }),
  (stage) => deliver(stage),
  // The receiver fails, so that the delivery waits for its next attempt.
  good("createVariable", { json: { path: "f/t/event2", value: "v", is_secret: false } }),
  (stage) => deliver(stage, failedAttempt("The receiver is busy.")),
  pass(600_000),
  (stage) => deliver(stage, failedAttempt("The receiver is busy.")),
  pass(3600_000),
  (stage) => deliver(stage, failedAttempt("The receiver is busy.")),
  pass(2 * 3600_000),
  (stage) => deliver(stage, failedAttempt("The receiver is busy.")),
];

const acme = { id: "svc", secret: "the secret of the client" };
const connect_config = { auth_url: "https://id.example.com/auth", token_url: "https://id.example.com/token", scopes: ["read"] };

/** An account of another service, whose token must be refreshed. */
async function completeConnect({ world: { deps, clock }, kept }: Stage): Promise<void> {
  const expiresAtMs = clock.nowMs + 2 * 3600_000;
  const completed = {
    client: "acme",
    owner: "ann@example.com",
    untilMs: clock.nowMs + 60_000,
    accessToken: "access",
    refreshToken: "refresh",
    expiresAtMs,
  };
  kept["completed"] = await sealJsonForAccounts(deps, sealLocations.completed, completed);
}

const callers: Steps = [
  good("setGlobal", { params: { key: "oauths" }, json: { value: { acme: { ...acme, connect_config } } } }),
  completeConnect,
  good("createAccount", { json: { client: "acme", refresh_token: "<completed>", path: "f/t/acme" }, keep: { account: whole } }),
  good("beginConnect", { params: { client: "acme" } }),
  good("jwks", { from: "nobody", keep: { jwks: whole } }),
];

const http = { ...runsScript, http_method: "post", workspaced_route: true, is_static_website: false };
const queue = "https://sqs.us-east-1.amazonaws.com/000000000000/orders";
const triggers: Steps = [
  good("createResource", { json: { path: "f/t/key", resource_type: "api_key_auth", value: { key: "$var:f/t/secret" } } }),
  good("http_triggers.create", {
    json: {
      path: "f/t/http",
      ...http,
      route_path: "orders/:id",
      request_type: "async",
      authentication_method: "api_key",
      authentication_resource_path: "f/t/key",
    },
  }),
  good("http_triggers.create", {
    json: { path: "f/t/held", ...http, route_path: "held", request_type: "async", authentication_method: "none" },
  }),
  good("http_triggers.setMode", { params: { path: "f/t/held" }, json: { mode: "suspended" } }),
  ({ callHttpRoute }) => callHttpRoute("stored-03/held", { x: "held" }),
  good("http_triggers.create", {
    json: { path: "f/t/freed", ...http, route_path: "freed", request_type: "async", authentication_method: "none" },
  }),
  good("http_triggers.setMode", { params: { path: "f/t/freed" }, json: { mode: "suspended" } }),
  ({ callHttpRoute }) => callHttpRoute("stored-03/freed", { x: "freed" }),
  good("http_triggers.setMode", { params: { path: "f/t/freed" }, json: { mode: "enabled" } }),
  ({ callHttpRoute }) => callHttpRoute("stored-03/orders/1", {}, { "x-api-key": "wrong" }),
  good("sqs_triggers.create", { json: { path: "f/t/queue", ...runsScript, queue_url: queue } }),
  good("createResource", {
    json: { path: "f/t/aws", resource_type: "aws", value: { awsAccessKeyId: "key", awsSecretAccessKey: "secret", region: "us-east-1" } },
  }),
  good("sqs_triggers.create", {
    json: {
      path: "f/t/polled",
      ...runsScript,
      queue_url: `${queue}2`,
      aws_resource_path: "f/t/aws",
      aws_auth_resource_type: "credentials",
    },
  }),
  async ({ world: { deps, workspace } }) => {
    const [queue] = triggerObject.parseReadable(await deps.objects.list(triggerObject.partitionKey(workspace, "sqs")));
    await recordFault(deps, workspace, queue?.id ?? "", "The queue does not exist.");
  },
  good("aws_triggers.create", {
    json: { path: "f/t/topic", ...runsScript, source: "sns", topic_arn: "arn:aws:sns:us-east-1:000000000000:news" },
  }),
  good("email_triggers.create", { json: { path: "f/t/mail", ...runsScript, local_part: "orders" } }),
  good("createSchedule", {
    json: {
      path: "f/t/hourly",
      schedule: "0 0 * * * *",
      timezone: "UTC",
      ...runsScript,
      args: { x: "scheduled" },
      enabled: true,
      on_recovery: "script/f/t/python",
      on_failure: "script/f/t/python",
      on_failure_times: 3,
    },
  }),
];

/** The next full hour, at which the schedule is due. */
async function passHour({ world: { clock } }: Stage): Promise<void> {
  clock.nowMs += 3600_000 - (clock.nowMs % 3600_000) + 5000;
}

/** A failed run, whose failure is noticed and counted for the handlers of its schedule. */
const failed: Steps = [
  good("editFailureNotices", { json: { rules: [{ path: "f/t/*", email: ["g/team"], on_recovery: true }] } }),
  async ({ world }) => {
    world.answers.run = async () => failure("It is broken.");
  },
  passHour,
  ({ world }) => housekeep(world),
  work,
  async ({ world }) => {
    world.answers.run = async ({ args }) => success((args as { x?: unknown }).x ?? "done");
  },
  good("http_triggers.setMode", { params: { path: "f/t/freed" }, json: { mode: "suspended" } }),
  ({ callHttpRoute }) => callHttpRoute("stored-03/freed", { x: "freed" }),
  good("http_triggers.setMode", { params: { path: "f/t/freed" }, json: { mode: "enabled" } }),
  (stage) => deliver(stage),
];

const long = "z".repeat(6000);
const secret = "$var:f/t/secret";
const asksLater = [
  { id: "first", value: { type: "script", path: "f/t/script" }, delete_after_secs: 3600 },
  { id: "ask", value: { type: "identity" }, suspend: { required_events: 1 } },
];
const returnsLong = {
  id: "first",
  value: { type: "script", path: "f/t/script", input_transforms: { x: { type: "static", value: long } } },
};
const identities = Array.from({ length: 10 }, (_, at) => ({ id: `step${at}`, value: { type: "identity" } }));
const preview = (modules: object[]): Parts => ({ json: { value: { modules } } });

/** Items of jobs: values that are too large for the job's record, secrets, tokens and earlier results. */
const items: Steps = [
  good("runPreview", { json: { language: "bash", content: `echo done # ${long}`, args: { x: long } }, keep: { large: whole } }),
  good("runScriptByPath", { params: { path: "f/t/script" }, json: { x: secret, y: long }, keep: { secretive: whole } }),
  good("runFlowPreview", { ...preview([{ id: "nested", value: { type: "flow", path: "f/t/asks" } }]), keep: { nesting: whole } }),
  good("runFlowPreview", { ...preview([returnsLong, ...identities]), keep: { long: whole } }),
  good("runFlowPreview", { ...preview(asksLater), keep: { deletes: whole } }),
  work,
  // These have not begun.
  good("restartFlow", { params: { id: "<long>" }, json: { step_id: "step9" }, keep: { restarted: whole } }),
  good("runFlowPreview", { ...preview(asksLater), keep: { early: whole } }),
  good("jobSignature", { params: { id: "<early>", resume_id: 2 }, query: { flow_level: true }, keep: { earlySignature: whole } }),
  good("resumeByLink", { params: { id: "<early>", resume_id: 2, signature: "<earlySignature>" }, from: "nobody", json: { text: long } }),
];

/** Records of the day before are signed, and the call has no time for another workspace. */
const signed: Steps = [
  pass(2 * day),
  async ({ world }) => signChainHeads({ ...world.deps, isolation: newIsolation(world) }, [world.workspace], 0),
];

const last: Steps = [
  good("storeTempScript", { json: "echo draft", keep: { temporary: whole } }),
  bad("login", { json: { email: "none@example.com", password: "wrong" }, from: "nobody" }),
  good("addMember", { json: { email: "cleo@example.com", is_admin: false, operator: false, username: "cleo" } }),
  good("deleteMember", { params: { username: "cleo" } }),
  good("createWorkspace", { json: { id: "gone", name: "gone" } }),
  good("deleteWorkspace", { params: { workspace: "gone" } }),
  good("requestDeviceCode", {
    json: { client_name: "laptop" },
    from: "nobody",
    keep: { device: field("device_code"), code: field("user_code") },
  }),
  good("decideDeviceRequest", { json: { user_code: "<code>", approve: true } }),
  good("runScriptByPath", {
    params: { path: "f/t/script" },
    json: { x: "once" },
    headers: { "Idempotency-Key": "once" },
    keep: { once: whole },
  }),
  work,
  good("runScriptByPath", {
    params: { path: "f/t/script" },
    query: { scheduled_in_secs: 86_400 },
    json: { x: "later" },
    keep: { later: whole },
  }),
  good("runScriptByPath", { params: { path: "f/t/script" }, json: { x: "queued" }, keep: { queued: whole } }),
  good("notifyAgain", { params: { gate: "<gate>" } }),
];

/** The requests that store an object of each kind. */
export const writes: Steps = [
  ...people,
  ...objects,
  ...approved,
  ...waiting,
  ...callers,
  ...triggers,
  ...failed,
  ...signed,
  ...last,
  ...items,
];
