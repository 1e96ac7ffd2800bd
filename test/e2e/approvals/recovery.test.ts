import { GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../../contract/limits.ts";
import { api } from "../../support/api/api.ts";
import { member } from "../../support/api/people.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { asks, consent, type Gate, runOf, sees, startRun, urls, visit, waiting } from "../../support/approvals/approvals.ts";
import { startReceiver } from "../../support/approvals/notices.ts";
import { awsClients, invoke } from "../../support/engine/aws.ts";
import { startTestInstance, type TestInstance } from "../../support/engine/instances.ts";
import { crashFunction } from "../../support/engine/processes.ts";
import { flow } from "../../support/flows/flow.ts";
import { until } from "../../support/until.ts";

/** Processes are killed, the engine is stopped and time passes here, so this file has its own instance. */
let instance: TestInstance;
let ws: Workspace;
beforeAll(async () => {
  instance = await startTestInstance();
  ws = await newWorkspace(api({ url: instance.url, token: instance.admin.token }));
});
afterAll(() => instance?.stop());

/** Housekeeping checks a flow that waits for approval at least this often. */
const NEXT_CHECK_S = limits.flowWaitCheckMs / 1000 + 60;
const housekeep = (inS = 0) => invoke("HousekeepingFunction", { nowMs: Date.now() + inS * 1000 }, instance);
const startApproval = async (modules: object[] = [asks("ask", { timeout: 100_000 }), sees()]) => {
  const run = await startRun(ws, modules);
  const [gate] = await waiting(ws, run);
  return { run, gate: gate as Gate, links: await urls(ws, gate?.gate_id ?? "", { approver: "kim" }) };
};

/** A gate as it is stored, and as a call leaves it that died after its first write. */
const table = () => ({ TableName: instance.outputs["JobsTable"] });
const keyOf = (gate: string) => ({ pk: { S: gate }, sk: { S: "gate" } });
async function stored(gate: string): Promise<Record<string, unknown> & { token?: string }> {
  const { Item } = await awsClients(instance).dynamodb.send(new GetItemCommand({ ...table(), Key: keyOf(gate), ConsistentRead: true }));
  return JSON.parse(Item?.["j"]?.S ?? "{}") as Record<string, unknown>;
}
async function bend(gate: string, change: object): Promise<void> {
  const { dynamodb } = awsClients(instance);
  const { Item } = await dynamodb.send(new GetItemCommand({ ...table(), Key: keyOf(gate), ConsistentRead: true }));
  const before = JSON.parse(Item?.["j"]?.S ?? "{}") as { revision: number };
  const after = JSON.stringify({ ...before, ...change, revision: before.revision + 1 });
  await dynamodb.send(new PutItemCommand({ ...table(), Item: { ...Item, j: { S: after }, v: { N: String(before.revision + 1) } } }));
}
const holds = (gate: string) =>
  until(async () => (await stored(gate)).token, { timeoutMs: 60_000, what: "the token of the task that waits" });

describe("recovery of gates", () => {
  it("the next request resumes the task if the deciding call died before", async () => {
    const { run, gate, links } = await startApproval();
    await holds(gate.gate_id);
    await bend(gate.gate_id, { decision: { outcome: "approved", approver: "kim", atMs: Date.now() } });
    expect(await visit(links.resume)).toMatchObject({ status: 409, text: expect.stringContaining("approved by kim") });
    expect(await ws.completed(run)).toMatchObject({ success: true });
  });

  it("housekeeping repeats the completion if no caller returns", async () => {
    const { run, gate } = await startApproval();
    await holds(gate.gate_id);
    await bend(gate.gate_id, { decision: { outcome: "rejected", approver: "kim", atMs: Date.now() } });
    await housekeep(NEXT_CHECK_S);
    expect(await ws.completed(run)).toMatchObject({ result: { error: { name: "SuspendedDisapproved" } } });
  });

  it("another execution waits if the function died while it registered the task's token", async () => {
    const { run, gate, links } = await startApproval();
    await holds(gate.gate_id);
    await bend(gate.gate_id, { token: undefined, awaitsToken: { execution: 0, atMs: Date.now() } });
    await housekeep(NEXT_CHECK_S);
    await holds(gate.gate_id);
    expect(await visit(links.resume, { body: { n: 1 } })).toMatchObject({ status: 201 });
    expect(await ws.completed(run)).toMatchObject({ success: true, result: { resumes: [{ n: 1 }] } });
  });

  it("the gate recovers from the death of the step function right after it opened", async () => {
    const run = await startRun(ws, [asks("ask"), sees()]);
    const open = () => runOf(ws, run).then(({ gates }) => gates[0]);
    const gate = await until(open, { timeoutMs: 60_000, everyMs: 1, what: "the gate" });
    crashFunction(instance, { output: "StepFunction" });
    const { resume } = await urls(ws, gate?.gate_id ?? "");
    expect(await visit(resume, { body: { n: 1 } })).toMatchObject({ status: 201 });
    const done = await until(
      async () => {
        await housekeep(100);
        return (await ws.get(`jobs_u/completed/get/${run}`)).json as Record<string, unknown> | undefined;
      },
      { timeoutMs: 90_000, everyMs: 1000, what: "the end of the run" },
    );
    expect(done).toMatchObject({ success: true, result: { resumes: [{ n: 1 }] } });
    expect((await runOf(ws, run)).gates).toHaveLength(1);
  });

  it("a decision during which the function died is complete or not made", async () => {
    // As soon as the decision is stored; `services/approvals` has a fault at every write.
    const { run, gate, links } = await startApproval();
    await holds(gate.gate_id);
    const visited = visit(links.resume, { body: { n: 1 } }).catch(() => undefined);
    const isStored = async () => (await stored(gate.gate_id))["decision"];
    await until(isStored, { timeoutMs: 30_000, everyMs: 1, what: "the stored decision" });
    crashFunction(instance, { output: "ApproveFunction" });
    await visited;
    // A repeated call counts, or is refused because the gate is decided.
    const again = async () => {
      const { status } = await visit(links.resume, { body: { n: 1 } });
      return status < 500 ? status : undefined;
    };
    expect([201, 409]).toContain(await until(again, { timeoutMs: 30_000, what: "an answer" }));
    expect(await ws.completed(run)).toMatchObject({ success: true, result: { resumes: [{ n: 1 }] } });
  });
});

describe("after a restart of the engine", () => {
  type StartedApproval = Awaited<ReturnType<typeof startApproval>>;
  let early: StartedApproval;
  let late: StartedApproval;
  let token: string | undefined;
  beforeAll(async () => {
    early = await startApproval();
    late = await startApproval([flow.step("a", "1"), asks("ask", { timeout: 100_000 }), sees()]);
    for (const { gate } of [early, late]) await holds(gate.gate_id);
    ({ token } = await stored(late.gate.gate_id));
    await instance.stopEngine();
    await instance.startEngine();
  });

  it("an approval counts before the execution waits again", async () => {
    const { run, links } = early;
    expect(await visit(links.resume, { body: { n: 2 } })).toMatchObject({ status: 201 });
    const ended = await until(
      async () => {
        await housekeep(NEXT_CHECK_S);
        const answer = await ws.get(`jobs_u/completed/get/${run}`);
        return answer.status === 200 ? (answer.json as object) : undefined;
      },
      { timeoutMs: 90_000, everyMs: 500, what: "the end of the run" },
    );
    expect(ended).toMatchObject({ success: true, result: { resumes: [{ n: 2 }] } });
  });

  it("links work", async () => {
    const { run, gate, links } = late;
    // The execution ended with the engine; another one waits with its own token.
    await until(
      async () => {
        await housekeep(NEXT_CHECK_S);
        return (await stored(gate.gate_id)).token !== token;
      },
      { timeoutMs: 90_000, everyMs: 500, what: "another token" },
    );
    expect(await visit(links.resume, { body: { n: 1 } })).toMatchObject({ status: 201 });
    expect(await ws.completed(run)).toMatchObject({ success: true, result: { resumes: [{ n: 1 }], approvers: ["kim"] } });
  });

  it("a notice is sent", async () => {
    const run = await startRun(ws, [consent("pay", ["role:admin"])]);
    await until(
      async () => {
        const { gates } = await runOf(ws, run);
        const notices = gates.flatMap(({ notices }) => notices as { channel: string; state: string }[]);
        return notices.some(({ channel, state }) => channel === "email" && state === "sent");
      },
      { what: "the mail" },
    );
  });
});

describe("timed changes of gates", () => {
  it("housekeeping expires a gate once, without an execution", async () => {
    const { run, gate, links } = await startApproval([asks("ask", { timeout: 5000 }), sees()]);
    await holds(gate.gate_id);
    await Promise.all([housekeep(6000), housekeep(6000)]);
    expect(await ws.completed(run)).toMatchObject({ canceled: true, result: { error: { name: "SuspendedTimedOut" } } });
    expect((await visit(links.resume)).status).toBe(409);
  });

  it("a gate is escalated to a second group, reminds once, and the first group may still decide", async () => {
    const [ann, bob] = await Promise.all([member(ws, "ann"), member(ws, "bob")]);
    const value = { remind_after: 1000, escalate: { after: 2000, approvers: [`u/${bob.username}`] } };
    const run = await startRun(ws, [consent("gate", [`u/${ann.username}`], value), sees()]);
    const [gate] = await waiting(ws, run);
    const decide = () => bob.api.post(`v1/runs/${run}/consent`, { decision: "approved" });
    expect((await decide()).status).toBe(404);
    await housekeep(1100);
    expect(await stored(gate?.gate_id ?? "")).not.toHaveProperty("opened.remindAtMs");
    expect((await decide()).status).toBe(404);
    await housekeep(2100);
    expect((await runOf(ws, run)).gates[0]).toMatchObject({ approvers: [`u/${ann.username}`, `u/${bob.username}`] });
    expectStatus(await decide(), 200);
    expect(await ws.completed(run)).toMatchObject({ success: true });
  });

  it("erasing a run removes every payload of its approvals", async () => {
    const { run, gate, links } = await startApproval();
    const note = "to be forgotten ".repeat(100);
    expect(await visit(links.resume, { body: { note } })).toMatchObject({ status: 201 });
    await ws.completed(run);
    expectStatus(await ws.post(`jobs/completed/delete/${run}`), 200);
    expect(await stored(gate.gate_id)).toEqual({});
    expect((await visit(links.resume)).status).toBe(409);
  });
});

describe("recovery of notices", () => {
  it("another sender repeats the message of a killed one after its reservation has expired", async () => {
    const receiver = await startReceiver();
    const { promise: killed, resolve } = Promise.withResolvers<void>();
    try {
      receiver.replies.push({ status: 204, after: killed });
      const run = await startRun(ws, [consent("pay", ["role:admin"], { notification: { channel: "webhook", url: receiver.url } })]);
      await until(() => receiver.receivedRequests.length === 1, { what: "the webhook's first message" });
      expect(crashFunction(instance, { output: "DeliverFunction" })).toBeGreaterThan(0);
      resolve();
      // The queue shows the message again after its visibility timeout.
      const sent = await until(
        async () => {
          const { gates } = await runOf(ws, run);
          const notices = gates.flatMap(({ notices }) => notices as { channel: string }[]);
          return notices.find(({ channel }) => channel === "webhook");
        },
        { timeoutMs: 90_000, everyMs: 500, what: "the webhook's record" },
      );
      expect(sent).toMatchObject({ state: "sent", attempts: 2 });
      const [first, second, ...more] = receiver.receivedRequests.map(({ headers }) => headers["webhook-id"]);
      expect([second, more]).toEqual([first, []]);
    } finally {
      resolve();
      await receiver.close();
    }
  });
});
