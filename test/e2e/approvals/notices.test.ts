import { randomUUID } from "node:crypto";
import { SNSClient, SubscribeCommand } from "@aws-sdk/client-sns";
import { CreateQueueCommand, GetQueueAttributesCommand, ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { noticeObject } from "../../../core/notifications/stored-notice.ts";
import { personKey } from "../../../core/people/person.ts";
import { shared } from "../../support/api/api.ts";
import { member } from "../../support/api/people.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { asks, consent, runOf, startRun, waiting } from "../../support/approvals/approvals.ts";
import {
  aNotice,
  deliveries,
  delivery,
  ended,
  leaveUnsent,
  mailsTo,
  startReceiver,
  writeNotice,
  writePending,
} from "../../support/approvals/notices.ts";
import { awsClients, invoke } from "../../support/engine/aws.ts";
import { flow, saveFlow } from "../../support/flows/flow.ts";
import { until } from "../../support/until.ts";

let ws: Workspace;
let of: { workspace: string; flow: string };
let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => {
  [ws, receiver] = await Promise.all([newWorkspace(), startReceiver()]);
  // Later mails that ask for a decision are sent only while the flow runs.
  const value = { modules: [flow.identity("a", { sleep: { type: "static", value: 3600 } }), flow.identity("b")] };
  of = { workspace: ws.id, flow: expectStatus(await ws.post("jobs/run/preview_flow", { value, args: {} }), 201).text };
});
afterAll(() => receiver?.close());

/** The function's own event for a notice that was written, as the stream brings it. */
const record = (id: string) => {
  const { pk, sk } = noticeObject.key(ws.id, id);
  return { Records: [{ eventID: "1", eventName: "INSERT", dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } }, SequenceNumber: "1" } }] };
};
const someAddress = () => `${randomUUID().slice(0, 8)}@example.com`;

describe("approval mails", () => {
  it("each approver receives one mail with a link to the page and no deciding URL", async () => {
    const [ann, ben, boss, idle] = await Promise.all([
      member(ws, "ann"),
      member(ws, "ben"),
      member(ws, "boss", "admin"),
      member(ws, "idle"),
    ]);
    expectStatus(await ws.post("groups/create", { name: "finance" }), 201);
    expectStatus(await ws.post("groups/adduser/finance", { username: ben.username }), 200);
    expectStatus(await ws.post("groups/adduser/finance", { username: idle.username }), 200);
    expectStatus(await ws.post(`users/update/${idle.username}`, { disabled: true }), 200);
    const outside = someAddress();
    const people = [`u/${ann.username}`, "g/finance", "role:admin", outside, ann.email.toUpperCase()];
    const notice = aNotice({ ...of, people, step: "Pay <b>", flowPath: "f/t/pay", message: "Pay & <go>?" });
    await writeNotice(notice);
    // The workspace's first admin made it.
    const mails = await ended(notice, "email", 5);
    const expected = [ann.email, ben.email, boss.email, outside, shared().email].sort();
    expect(mails.map(({ to, state, what, attempts }) => [to, state, what, attempts])).toEqual(
      expected.map((to) => [to, "sent", "opened", 1]),
    );
    expect(await mailsTo(idle.email)).toEqual([]);
    const [mail, ...more] = await mailsTo(ann.email);
    expect(more).toEqual([]);
    const page = `${shared().url}/approve/${ws.id}/${notice.gate}`;
    expect(mail).toMatchObject({ from: "svc@svc.localhost", subject: "Approval needed: Pay <b> (f/t/pay)" });
    expect(mail?.text).toContain(page);
    expect(mail?.html).toContain(`<a href="${page}">`);
    expect(mail?.html).toContain("Pay &amp; &lt;go&gt;?");
    for (const { text, html } of [mail ?? { text: "", html: "" }]) expect(text + html).not.toMatch(/jobs_u|resume|cancel/);
  });

  it("a notice without recipients is visible on the run", async () => {
    const notice = aNotice({ ...of, people: ["u/nobody-here"] });
    await writeNotice(notice);
    expect(await ended(notice, "email")).toMatchObject([{ to: "nobody", state: "failed", error: expect.stringContaining("no approver") }]);
  });

  it("a decision is sent to the topic alone", async () => {
    const notice = aNotice({ ...of, what: "decided", people: [someAddress()], decision: { how: "approved", by: "ann" } });
    await writeNotice(notice);
    await ended(notice, "topic");
    expect((await deliveries(notice)).map(({ channel }) => channel)).toEqual(["topic"]);
  });

  it("a bounced mail is marked with the reason", async () => {
    const notice = aNotice({ ...of, people: [someAddress()] });
    await writeNotice(notice);
    const [{ to = "" } = {}] = await ended(notice, "email");
    const nth = `mail-${personKey(to)}`;
    await invoke("DeliverFunction", {
      source: "aws.ses",
      "detail-type": "Email Bounced",
      detail: {
        eventType: "Bounce",
        mail: { tags: { flow: [of.flow], notice: [notice.id], nth: [nth] } },
        bounce: { bounceType: "Permanent", bounceSubType: "General", bouncedRecipients: [{ diagnosticCode: "550 no such user" }] },
      },
    });
    expect(await ended(notice, "email")).toMatchObject([
      { to, state: "failed", attempts: 1, error: "bounced: Permanent, General, 550 no such user" },
    ]);
  });
});

describe("waiting flows", () => {
  const noticesOf = async (run: string, what: string) => {
    const { gates } = await runOf(ws, run);
    return gates.flatMap(({ notices }) => notices as Record<string, unknown>[]).filter((notice) => notice["what"] === what);
  };
  const noticed = (run: string, what: string, count: number) =>
    until(
      async () => {
        const found = await noticesOf(run, what);
        return found.length >= count ? found : undefined;
      },
      { what: `${count} notices '${what}' of run ${run}` },
    );

  it("the approvers are notified, and the run shows them", async () => {
    const ann = await member(ws, "ann");
    const run = await startRun(ws, [consent("pay", [`u/${ann.username}`], { message: "Pay {{ context.amount }}?" })], { amount: 7 });
    const [gate] = await waiting(ws, run);
    const opened = (await noticed(run, "opened", 2)).sort((a, b) => String(a["channel"]).localeCompare(String(b["channel"])));
    expect(opened).toMatchObject([
      { channel: "email", to: ann.email, state: "sent", attempts: 1, at: expect.any(String) },
      { channel: "topic", to: "topic", state: "sent" },
    ]);
    const [mail] = await mailsTo(ann.email);
    expect(mail?.text).toContain("Pay 7?");
    expect(mail?.text).toContain(`${shared().url}/approve/${ws.id}/${gate?.gate_id}`);
    expectStatus(await ann.api.post(`v1/runs/${run}/consent`, { decision: "approved" }), 200);
    const channels = (await noticed(run, "decided", 2)).map(({ channel, to, state }) => `${channel} ${to} ${state}`);
    expect(channels.sort()).toEqual([`email ${shared().email} sent`, "topic topic sent"]);
  });

  it("the mail of a step says what is to be approved, and the person who started the run gets the outcome", async () => {
    const [ann, ben] = await Promise.all([member(ws, "ann"), member(ws, "ben", "admin")]);
    const group = `g${randomUUID().slice(0, 8)}`;
    expectStatus(await ws.post("groups/create", { name: group }), 201);
    expectStatus(await ws.post(`groups/adduser/${group}`, { username: ann.username }), 200);
    const groups = { type: "static", value: [group] };
    const step = asks(
      "ask",
      { user_groups_required: groups, inputs: ["item", "key"] },
      "({ description: { render_all: ['A <big> one'] } })",
    );
    const path = `f/t/buy-${group}`;
    const schema = { type: "object", properties: { item: { type: "string" }, key: { type: "string", password: true } } };
    await saveFlow(ws, path, [{ ...step, summary: "May we?" }, flow.identity("b")], { summary: "Buy tools", schema });
    const started = await ben.in(ws).post(`jobs/run/f/${path}`, { item: "drill", key: "not for mails", other: "hidden" });
    const run = expectStatus(started, 201).text;
    const [gate] = await waiting(ws, run);
    await noticed(run, "opened", 2);
    const [mail] = await mailsTo(ann.email);
    expect(mail?.subject).toBe(`Approval needed: May we? (${path})`);
    for (const part of ["The flow: Buy tools", `Approvers: g/${group}.`, "expires at", "A <big> one", "item: drill"])
      expect(mail?.text).toContain(part);
    expect(mail?.html).toContain("A &lt;big&gt; one");
    expect(`${mail?.text}${mail?.html}`).not.toMatch(/not for mails|hidden|jobs_u/);
    const decision = { approved: false, reason: "too dear" };
    expectStatus(await ann.in(ws).post(`jobs_u/flow/resume_suspended/${gate?.gate_id}`, decision), 200);
    await noticed(run, "decided", 2);
    const [outcome] = await mailsTo(ben.email);
    expect(outcome?.subject).toBe(`Rejected: May we? (${path})`);
    expect(outcome?.text).toContain("too dear");
  });

  it("a notice is repeated on request, at most once a minute, while its gate waits", async () => {
    const [ann, other] = await Promise.all([member(ws, "ann"), member(ws, "other", "operator")]);
    const run = await startRun(ws, [consent("pay", [`u/${ann.username}`])]);
    const [gate] = await waiting(ws, run);
    await noticed(run, "opened", 2);
    const notify = `approvals/notify/${gate?.gate_id}`;
    expect((await other.in(ws).post(notify)).status).toBe(404);
    const answers = await Promise.all([1, 2, 3].map(() => ws.post(notify)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 429, 429]);
    for (const { status, headers } of answers) {
      if (status !== 429) continue;
      const waitS = Number(headers.get("retry-after"));
      expect(waitS).toBeGreaterThan(30);
      expect(waitS).toBeLessThanOrEqual(61);
    }
    await noticed(run, "reminded", 2);
    expect((await mailsTo(ann.email)).map(({ subject }) => subject)).toEqual([
      expect.stringMatching(/^Approval needed/),
      expect.stringMatching(/^Reminder/),
    ]);
    expectStatus(await ann.api.post(`v1/runs/${run}/consent`, { decision: "rejected", reason: "no" }), 200);
    const late = await ws.post(notify);
    expect([late.status, late.headers.get("x-svc-error")]).toEqual([409, "approval.noticeOver"]);
    expect((await ws.post(`approvals/notify/${randomUUID()}`)).status).toBe(404);
  });

  it("a gate for holders of links notifies only the topic", async () => {
    const run = await startRun(ws, [asks("a"), flow.identity("b")]);
    await waiting(ws, run);
    expect(await noticed(run, "opened", 1)).toMatchObject([{ channel: "topic" }]);
    expectStatus(await ws.post(`jobs_u/queue/cancel/${run}`, {}), 200);
  });
});

describe("the topic of notices", () => {
  it("the topic receives every notice, with attributes by which subscriptions can filter", async () => {
    const { sqs } = awsClients();
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: `notices-${ws.id}` }));
    const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] }));
    const { config } = awsClients().sqs;
    const sns = new SNSClient({ endpoint: shared().endpoint, region: await config.region(), credentials: await config.credentials() });
    await sns.send(
      new SubscribeCommand({
        TopicArn: shared().outputs["NoticesTopic"],
        Protocol: "sqs",
        Endpoint: Attributes?.["QueueArn"],
        Attributes: { FilterPolicy: JSON.stringify({ workspace: [ws.id], what: ["expired"], flow: ["f/t/pay"] }) },
      }),
    );
    const unwanted = aNotice({ ...of, what: "opened", flowPath: "f/t/pay" });
    const wanted = aNotice({ ...of, what: "expired", flowPath: "f/t/pay", decision: { how: "expired" } });
    for (const notice of [unwanted, wanted]) await writeNotice(notice);
    await Promise.all([ended(unwanted, "topic"), ended(wanted, "topic")]);
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 10, MaxNumberOfMessages: 10 }));
    expect(Messages).toHaveLength(1);
    const { Message, MessageAttributes } = JSON.parse(Messages[0]?.Body ?? "");
    const names = Object.entries(MessageAttributes as Record<string, { Value: string }>).map(([name, { Value }]) => [name, Value]);
    expect(Object.fromEntries(names)).toEqual({ workspace: ws.id, what: "expired", kind: "consent", flow: "f/t/pay", module: "b" });
    expect(JSON.parse(Message)).toMatchObject({
      type: "approval.expired",
      data: {
        gate_id: wanted.gate,
        run_id: of.flow,
        page: `${shared().url}/approve/${ws.id}/${wanted.gate}`,
        decision: { how: "expired" },
      },
    });
    expect(Message).not.toMatch(/jobs_u|signature|token/);
  });
});

describe("webhooks of notices", () => {
  const hook = (more: object = {}) => aNotice({ ...of, channel: "webhook", url: receiver.url, ...more });
  const verify = (secret: string, { headers, body }: (typeof receiver.receivedRequests)[number]) =>
    new Webhook(secret).verify(body, headers as Record<string, string>) as { type: string; data: Record<string, unknown> };
  const arrived = (id: string, times = 1) =>
    until(
      () => {
        const found = receiver.receivedRequests.filter(({ headers }) => headers["webhook-id"] === id);
        return found.length >= times ? found : undefined;
      },
      { what: `webhook ${id}, ${times} times` },
    );
  const secretOf = async (method: "GET" | "POST") =>
    (expectStatus(await ws.call(method, "approvals/webhook_secret"), 200).json as { secret: string }).secret;

  it("a webhook is signed with the workspace's secret, and with the replaced one for a day", async () => {
    const first = hook();
    await writeNotice(first);
    const [message] = await arrived(first.id);
    const before = await secretOf("GET");
    expect(before).toMatch(/^whsec_/);
    expect(verify(before, message as never)).toMatchObject({ type: "approval.opened", data: { gate_id: first.gate, workspace_id: ws.id } });
    const after = await secretOf("POST");
    expect(after).not.toBe(before);
    expect(await secretOf("GET")).toBe(after);
    const audit = (await ws.get("audit/list")).json as { operation: string; action_kind: string }[];
    const entries = audit.filter(({ operation }) => operation.includes("webhook_secret"));
    expect(entries.map(({ operation, action_kind }) => `${operation} ${action_kind}`)).toEqual([
      "approvals.get_webhook_secret Execute",
      "approvals.rotate_webhook_secret Updated",
      "approvals.get_webhook_secret Execute",
    ]);
    const second = hook({ what: "decided", decision: { how: "rejected", by: "ben", reason: "no" } });
    await writeNotice(second);
    const [next] = await arrived(second.id);
    for (const secret of [before, after]) expect(verify(secret, next as never).data["decision"]).toMatchObject({ reason: "no" });
    expect(() => verify(before, { ...(next as never as { headers: object }), body: "{}" } as never)).toThrow();
  });

  it("only admins can read the secret", async () => {
    const ann = (await member(ws, "dev")).in(ws);
    expect((await ann.get("approvals/webhook_secret")).status).toBe(403);
    expect((await ann.post("approvals/webhook_secret")).status).toBe(403);
  });

  it("a failed webhook is repeated later as the same message", async () => {
    const notice = hook();
    receiver.replies.push({ status: 500 });
    await writeNotice(notice);
    expect(await delivery(notice, "webhook", "retrying", 1)).toMatchObject({ error: "it returned status 500" });
    // The attempt after five seconds comes without housekeeping.
    expect(await delivery(notice, "webhook", "sent", 2)).not.toHaveProperty("error");
    expect(await arrived(notice.id, 2)).toHaveLength(2);
  });

  it("redirects are not followed", async () => {
    const other = await startReceiver();
    try {
      const notice = hook();
      receiver.replies.push({ status: 307, headers: { location: other.url } });
      await writeNotice(notice);
      expect(await delivery(notice, "webhook", "retrying", 1)).toMatchObject({
        error: expect.stringContaining("redirects are not followed"),
      });
      expect(other.receivedRequests).toEqual([]);
    } finally {
      await other.close();
    }
  });

  it.each([
    ["an address inside of the network", "http://10.0.0.1/hook", "is inside the network"],
    ["the cloud's own metadata", "http://169.254.169.254/latest", "is inside the network"],
    ["what is no address", "ftp://example.com/x", "not an http or https URL"],
  ])("a webhook to %s is rejected at once", async (_what, url, error) => {
    const notice = hook({ url });
    await writeNotice(notice);
    expect(await delivery(notice, "webhook", "failed", 1)).toMatchObject({ error: expect.stringContaining(error) });
  });

  it("the run shows neither path nor query nor credentials of the URL", async () => {
    const notice = hook({ url: receiver.url.replace("//", "//user:secret@").concat("?token=secret") });
    await writeNotice(notice);
    expect((await delivery(notice, "webhook", "sent", 1)).to).toBe(new URL(receiver.url).origin);
  });
});

describe("faults of deliveries", () => {
  it("a repeated notice in the stream is sent once", async () => {
    const address = someAddress();
    const notice = aNotice({ ...of, people: [address] });
    await writeNotice(notice);
    await ended(notice, "email");
    await Promise.all([1, 2, 3].map(() => invoke("DeliverFunction", record(notice.id))));
    expect(await mailsTo(address)).toHaveLength(1);
  });

  it("a notice in two simultaneous streams is sent once", async () => {
    const address = someAddress();
    const notice = aNotice({ ...of, people: [address] });
    await Promise.all([writeNotice(notice), ...[1, 2, 3].map(() => invoke("DeliverFunction", record(notice.id)))]);
    await ended(notice, "email");
    expect(await mailsTo(address)).toHaveLength(1);
  });

  it("an unreadable record does not block later ones", async () => {
    await writeNotice({ ...aNotice(of), what: "unheard of" as never });
    const notice = aNotice(of);
    await writeNotice(notice);
    expect(await ended(notice, "topic")).toMatchObject([{ state: "sent" }]);
  });

  it("a mail whose sender died is sent by another sender, unless the receiver has left the workspace", async () => {
    const [stays, leaves] = await Promise.all([member(ws, "stays"), member(ws, "leaves")]);
    expectStatus(await ws.call("DELETE", `users/delete/${leaves.username}`), 200);
    const notices = [stays, leaves].map(({ username }) => aNotice({ ...of, people: [`u/${username}`] }));
    for (const [index, notice] of notices.entries()) {
      await writePending(notice);
      await leaveUnsent(notice, [stays, leaves][index]?.email ?? "");
    }
    const [mailed, spared] = await Promise.all(notices.map((notice, index) => ended(notice, "email", index + 1)));
    expect(mailed).toMatchObject([{ to: stays.email, state: "sent", attempts: 2 }]);
    expect(spared).toMatchObject([
      { to: leaves.email, state: "failed", error: expect.stringContaining("may no longer decide") },
      { to: "nobody", state: "failed" },
    ]);
    expect(await mailsTo(leaves.email)).toEqual([]);
  });

  it("a mail after the decision is not sent", async () => {
    const address = someAddress();
    const notice = aNotice({ ...of, people: [address] });
    await leaveUnsent(notice, address);
    expect(await ended(notice, "email")).toMatchObject([
      { state: "failed", error: expect.stringContaining("is no longer waiting for this approval") },
    ]);
    expect(await mailsTo(address)).toEqual([]);
  });

  it("a notice to a chat that names no resource fails, and the run shows it", async () => {
    const notice = aNotice({ ...of, channel: "chat" });
    await writeNotice(notice);
    expect(await delivery(notice, "chat", "failed", 1)).toMatchObject({ error: expect.stringContaining("chat") });
  });
});
