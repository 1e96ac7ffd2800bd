import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { isOpen } from "../../core/approvals/gate.ts";
import { noticeObject } from "../../core/notifications/stored-notice.ts";
import { collectLogs } from "../../test/support/chats/collect-logs.ts";
import { noticesOf } from "../../test/support/chats/deliver-notices.ts";
import { type FakeSlack, startSlack } from "../../test/support/chats/slack.ts";
import { addPerson, callService, SLACK_PATH } from "../../test/support/chats/slack-world.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { gates, playExecutions, startFlow } from "../../test/support/use-cases/world-flows.ts";
import { addWorkspace } from "../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { findApprovalRequest } from "../approvals/gates/find-approval-request.ts";
import { createGateLinks } from "../approvals/links/create-resume-urls.ts";
import { cancelJob } from "../jobs/cancel/cancel-job.ts";
import { listDeliveries } from "../notifications/delivery-records.ts";
import { listSigningSecrets } from "../notifications/webhook-secret.ts";
import { buildNotice } from "../outbox/notice.ts";
import { createResource, updateResource } from "../resources/save.ts";
import { createVariable } from "../variables/save.ts";
import { postInChat } from "./post-message.ts";

let slack: FakeSlack;
let world: World;
let notices: ReturnType<typeof noticesOf>;
/** The lines that the functions wrote to their logs, and the replies to the calls of Slack. */
let logged: string[];
const replies: string[] = [];
beforeAll(async () => {
  slack = await startSlack();
});
afterAll(() => slack.stop());
beforeEach(async () => {
  logged = collectLogs();
  world = await newWorld();
  notices = noticesOf(world);
  await addWorkspace(world);
  await addPerson(world, slack, "U0KIM", "kim");
  await addPerson(world, slack, "U0LEE", "lee");
});
afterEach(() => void vi.restoreAllMocks());

const secretPath = (name: string) => `${SLACK_PATH}_${name}`;
const value = () => ({ ...slack.resource, token: `$var:${secretPath("token")}`, signing_secret: `$var:${secretPath("signing")}` });
async function saveResource(): Promise<void> {
  const caller = { actor: anAdmin, workspace: world.workspace };
  const save = (name: string, text: string) =>
    createVariable(world.deps, caller, { path: secretPath(name), value: text, is_secret: true, description: "" });
  await save("token", slack.resource.token);
  await save("signing", slack.resource.signing_secret);
  await createResource(world.deps, caller, { path: SLACK_PATH, value: { ...value(), trust_email: true }, resource_type: "slack" });
}

async function call(body: string, headers?: Record<string, string>): Promise<void> {
  const reply = await callService(world, slack, body, headers).catch((error: unknown) => String(error));
  replies.push(JSON.stringify(reply));
}
async function start(module: object, args: object = {}): Promise<string> {
  const run = await startFlow(
    world,
    [
      { id: "ask", ...module },
      { id: "b", value: { type: "identity" } },
    ],
    args,
  );
  await playExecutions(world);
  for (let round = 0; round < 3; round += 1) await notices.deliver();
  return run;
}
const consent = (fields: object = {}) => ({
  value: {
    type: "consentgate",
    approvers: ["u/kim"],
    notification: { channel: "chat", resource_path: SLACK_PATH, channel_id: slack.channel },
    ...fields,
  },
});
function newestMessage() {
  const message = slack.messages.findLast(({ only }) => only === undefined);
  if (!message) throw new Error("No message was posted.");
  return message;
}

/** The links of an open gate, with which their holder decides. */
async function linksOf(run: string): Promise<string[]> {
  const [gate] = await gates(world, run);
  if (!gate || !isOpen(gate)) throw new Error("The gate has not opened.");
  const { resume, cancel } = await createGateLinks(world.deps, gate);
  return [...resume, cancel];
}

it("nothing that leaves for a chat, a log or a notice contains a secret, a link that decides, or a mention", async () => {
  await saveResource();
  const webhookSecrets = await listSigningSecrets(world.deps, world.workspace);

  // A form, which is opened, refused and submitted, in a message whose text has a link that decides.
  const form = { type: "object", properties: { version: { type: "string", pattern: "^v" } }, required: ["version"] };
  const asked = await start({ value: { type: "identity" }, suspend: { required_events: 1, resume_form: { schema: form } } });
  const links = await linksOf(asked);
  const [gate] = await gates(world, asked);
  const request = buildNotice(world.clock.nowMs, "opened", await findApprovalRequest(world.deps, world.workspace, gate?.id ?? ""));
  const message = `<!channel> decide: ${links.join(" ")}`;
  await postInChat(world.deps, { kind: "chatPost", id: randomUUID(), resource: SLACK_PATH, request: { ...request, message } });
  await call(slack.click(newestMessage(), "Approve", "U0KIM"));
  await call(slack.submitForm({ version: "1" }, "U0KIM"));
  await call(slack.submitForm({ version: "v1" }, "U0KIM"));

  // A rejection with such a reason.
  await start(consent({ message: "Deploy <!channel>?", reject_reason_required: true }));
  await call(slack.click(newestMessage(), "Reject", "U0KIM"));
  await call(slack.submit(`<!channel> ${links[0]}`, "U0KIM"));
  await notices.deliver();

  // A person who is not connected, a failure, a run that is canceled, and calls that are refused.
  const caller = { actor: anAdmin, workspace: world.workspace, path: SLACK_PATH };
  await updateResource(world.deps, caller, { value: value() });
  const canceled = await start(consent());
  await call(slack.click(newestMessage(), "Approve", "U0LEE"));
  const link = /\/chat\/link#[\w-]+/.exec(slack.messages.at(-1)?.text ?? "")?.[0];
  await start(consent({ notification: { channel: "chat", resource_path: SLACK_PATH, channel_id: "C0NONE" } }));
  const run = await world.deps.jobs.get(canceled);
  if (run) await cancelJob(world.deps, run, { by: "ann", reason: "" });
  await call("payload=%7B%7D", { "x-slack-signature": "v0=00" });
  slack.answers.push({ method: "users.info", status: 500, body: "<html>" });
  await call(slack.click(newestMessage(), "Approve", "U0KIM"));
  for (let round = 0; round < 3; round += 1) await notices.deliver();

  const stored = (await world.deps.objects.list(noticeObject.partitionKey(world.workspace))).map(({ value: notice }) => notice);
  const deliveries = await Promise.all([asked, canceled].map(async (id) => [...(await listDeliveries(world.deps, id)).values()]));
  const left = {
    requests: slack.requests.join("\n"),
    replies: replies.join("\n"),
    logs: logged.join("\n"),
    deliveries: JSON.stringify(deliveries),
    mails: JSON.stringify(notices.mails),
  };
  // The scenario has happened.
  expect(slack.dialogs).toHaveLength(2);
  expect(left.requests).toContain("&lt;!channel&gt;");
  expect(left.replies).toContain("must match pattern");
  expect(left.logs).toContain("A call of Slack was refused");
  expect(left.mails).toContain("kim@example.com");
  expect(link).toBeDefined();

  const signatures = links.flatMap((each) => /[0-9a-f]{64}/.exec(each) ?? []);
  expect(signatures).toHaveLength(2);
  const secrets = [slack.resource.token, slack.resource.signing_secret, ...webhookSecrets, ...signatures, "/jobs_u/"];
  for (const [name, text] of Object.entries(left))
    expect({ name, leaked: secrets.filter((secret) => text.includes(secret)) }).toEqual({ name, leaked: [] });
  for (const text of [left.requests, left.replies]) expect(text).not.toContain("<!channel>");
  // A notice keeps the texts of the flow and of people as they are, and every channel shows them without these.
  expect(
    [...webhookSecrets, slack.resource.token, slack.resource.signing_secret].filter((secret) => JSON.stringify(stored).includes(secret)),
  ).toEqual([]);
  // One person alone sees the link that connects an account.
  const withLink = slack.requests.filter((each) => each.includes("/chat/link#"));
  expect(withLink.map((each) => each.includes("chat.postEphemeral"))).toEqual([true]);
  for (const text of [left.replies, left.logs, left.deliveries, left.mails]) expect(text).not.toContain("/chat/link#");
});
