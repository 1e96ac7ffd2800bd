import { setTimeout as sleep } from "node:timers/promises";
import { operations } from "../../contract/client/operations/all.ts";
import { toRequest } from "../../contract/client/request.ts";
import { type FakeSlack, startSlack } from "../../test/support/chats/slack.ts";
import { gbSeconds, listed, totalOf } from "../cost/cost.ts";
import { type FlowModule, light, saveFlow, startFlow } from "../flows/flow-runs.ts";
import type { Measured } from "../jobs/latency.ts";
import { type BenchScript, saveScripts } from "../jobs/scripts.ts";
import { p95, sorted } from "../measure.ts";
import type { Row } from "../table.ts";
import { byLink, priceApproval, type Way } from "./approval-price.ts";
import { isOver, until, waits } from "./waiting-flow.ts";

const PATH = "f/bench/slack";
const USER = "U0BENCH";
/** The assumed time in which Slack answers a call, in ms. The fake answers at once. */
const SLACK_MS = 200;

/** Asks for its approval in each channel. */
const asks = (channels: readonly string[]): BenchScript => ({
  path: "f/bench/asks",
  language: "bun",
  content: `export async function main() {
  const { WM_JOB_ID, WM_WORKSPACE, WM_TOKEN, WM_FLOW_STEP_ID, BASE_INTERNAL_URL } = process.env;
  for (const channel_id of ${JSON.stringify(channels)}) {
    const query = new URLSearchParams({ slack_resource_path: "${PATH}", channel_id, flow_step_id: WM_FLOW_STEP_ID, message: "asked at " + Date.now() });
    const url = BASE_INTERNAL_URL + "/api/w/" + WM_WORKSPACE + "/jobs/slack_approval/" + WM_JOB_ID + "?" + query;
    const { status } = await fetch(url, { headers: { authorization: "Bearer " + WM_TOKEN } });
    if (status !== 200) throw new Error("The call answered " + status);
  }
}
`,
});

/** A node that asks in a chat when the flow reaches it. */
const consentIn = (channel: string): FlowModule => ({
  id: "ask",
  value: {
    type: "consentgate",
    approvers: ["role:admin"],
    timeout: 3600,
    message: "Go on?",
    notification: { channel: "chat", resource_path: PATH, channel_id: channel },
  },
});

type Chatting = Measured & { url: string; endpoint: string };

/** Measures approvals in Slack. The fake replies at once, so the times are those of this service. */
export async function chatRows(chatting: Chatting): Promise<Row[]> {
  const slack = await startSlack();
  const { client, workspace } = chatting;
  const { email } = JSON.parse((await client.ask.users.whoami({ workspace })).text) as { email: string };
  slack.people.set(USER, { email });
  const value = { ...slack.resource, trust_email: true };
  const exists = (await client.ask.resources.exists({ workspace, path: PATH })).text === "true";
  if (exists) await client.ask.resources.update({ workspace, path: PATH, body: { value } });
  else await client.ask.resources.create({ workspace, body: { path: PATH, resource_type: "slack", value } });
  try {
    return [...(await clickRows(chatting, slack)), ...(await gateRows(chatting, slack)), ...(await priceRows(chatting, slack))];
  } finally {
    await slack.stop();
  }
}

/** The times of one approval in three channels, in ms. */
interface Times {
  answered: number;
  continued: number;
  changed: number;
}

async function clickRows(chatting: Chatting, slack: FakeSlack): Promise<Row[]> {
  const [runs, warmUp] = chatting.quick ? [1, 0] : [40, 5];
  const script = asks(slack.channels);
  const asking: FlowModule = { id: "ask", value: { type: "script", path: script.path }, suspend: { required_events: 1, timeout: 3600 } };
  await saveScripts(chatting.client, chatting.workspace, [script]);
  const path = await saveFlow(chatting, "chat", [asking, light("after", "10")]);
  const all: Times[] = [];
  let first: Times | undefined;
  for (let at = -warmUp; at < runs; at += 1) {
    const times = await approveOnce(chatting, slack, path);
    first ??= times;
    if (at >= 0) all.push(times);
  }
  const row = (line: string, of: keyof Times, atMost: number) => timeRow(chatting, line, { sample: all.map((times) => times[of]), atMost });
  return [
    { line: "the first click: to the reply", value: first?.answered ?? 0, unit: "ms", target: { atMost: 2000 } },
    row("from the click to the reply", "answered", 300),
    row("from the click to the end of the flow", "continued", 500),
    row("from the click to the changed messages in three channels", "changed", 2000),
  ];
}

function timeRow({ floor }: Measured, line: string, { sample, atMost }: { sample: number[]; atMost: number }): Row {
  return { line, value: p95(sorted(sample)), unit: "ms", note: "p95", floor: floor.oneClient, target: { atMost } };
}

async function approveOnce(chatting: Chatting, slack: FakeSlack, path: string): Promise<Times> {
  const count = slack.channels.length;
  // The messages are completed when the step has ended.
  const completed = arrivalOf(slack, "chat.update", count);
  const id = await startFlow(chatting, path);
  await completed;
  await until(chatting, id, waits);
  // The task has registered its token, and processes are idle.
  await sleep(100);
  const updates = arrivalOf(slack, "chat.update", count);
  const clickedMs = Date.now();
  await click(chatting, slack);
  const answeredMs = Date.now();
  const changedMs = await updates;
  const { started_at, duration_ms = 0 } = await until(chatting, id, isOver, 60);
  return { answered: answeredMs - clickedMs, continued: Date.parse(started_at) + duration_ms - clickedMs, changed: changedMs - clickedMs };
}

/** Resolves with the time at which Slack has received as many calls of a method from now on. */
function arrivalOf(slack: FakeSlack, method: string, count: number): Promise<number> {
  let left = count;
  return new Promise((resolve) => {
    slack.events.beforeAnswer = async (called) => {
      if (called === method) left -= 1;
      if (left === 0) resolve(Date.now());
    };
  });
}

/** Clicks Approve in the newest message. */
async function click({ workspace, url }: Chatting, slack: FakeSlack, message = slack.messages.at(-1)): Promise<void> {
  const body = message ? slack.click(message, "Approve", USER) : "";
  const { method, address } = toRequest(operations, "chats.slack", { workspace, path: PATH });
  const { status } = await fetch(`${url}${address}`, { method, headers: slack.sign(body, Math.floor(Date.now() / 1000)), body });
  if (status !== 200) throw new Error(`The click answered ${status}.`);
}

/** Measures from the opening of a ConsentGate to its message. */
async function gateRows(chatting: Chatting, slack: FakeSlack): Promise<Row[]> {
  const path = await saveFlow(chatting, "consent", [consentIn(slack.channel), light("after", "10")]);
  const sample: number[] = [];
  for (let at = 0; at < (chatting.quick ? 1 : 40); at += 1) {
    const posted = arrivalOf(slack, "chat.postMessage", 1);
    const id = await startFlow(chatting, path);
    const postedMs = await posted;
    await until(chatting, id, waits);
    sample.push(postedMs - (await openedMs(chatting, id)));
    await click(chatting, slack);
    await until(chatting, id, isOver);
  }
  return [timeRow(chatting, "from the opening of a ConsentGate to its message", { sample, atMost: 1500 })];
}

async function openedMs({ client, workspace }: Chatting, id: string): Promise<number> {
  const all = JSON.parse((await client.ask.approvals.pending({ workspace })).text) as { flow_id: string; opened_at: string }[];
  const opened = all.find(({ flow_id: flow }) => flow === id)?.opened_at;
  if (opened === undefined) throw new Error(`The flow ${id} does not wait.`);
  return Date.parse(opened);
}

/** Compares the price of an approval by a ConsentGate in a chat, whose approver Slack names, with that of one by a link. */
async function priceRows(chatting: Chatting, slack: FakeSlack): Promise<Row[]> {
  const inChat: Way = {
    name: "asked_in_chat",
    module: consentIn(slack.channel),
    prepare: async () => {
      const message = slack.messages.at(-1);
      return () => click(chatting, slack, message);
    },
    // The click. The flow posts its message without a request of the REST API.
    restRequests: 1,
    // `deliver` waits for Slack when it posts and when it changes the message, and `chat` waits for the facts about the person and for `approve`.
    moreGbSeconds: (logs) => 2 * gbSeconds(logs, /DeliverFn/, SLACK_MS) + gbSeconds(logs, /ChatFn/, SLACK_MS + 50),
  };
  const [link, chat] = [await priceApproval(chatting, byLink(chatting)), await priceApproval(chatting, inChat)];
  return [
    {
      line: "an approval in a chat: AWS requests",
      value: totalOf(chat.requests),
      unit: "requests",
      note: `${listed(chat.requests)}; ${chat.transitions.toFixed(1)} state transitions`,
    },
    {
      line: "an approval in a chat: list price above one by a link",
      value: (chat.dollars - link.dollars) * 1e6,
      unit: "$/M",
      note: `of $${(chat.dollars * 1e6).toFixed(0)}`,
      target: { atMost: 15 },
    },
  ];
}
