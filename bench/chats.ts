import { setTimeout as sleep } from "node:timers/promises";
import { operations } from "../contract/client/operations/all.ts";
import { toRequest } from "../contract/client/request.ts";
import { type FakeSlack, startSlack } from "../test/support/chats/slack.ts";
import { type FlowModule, light, saveFlow, startFlow } from "./flows/flow-runs.ts";
import type { Measured } from "./jobs/latency.ts";
import { type BenchScript, saveScripts } from "./jobs/scripts.ts";
import { p95, sorted } from "./measure.ts";
import type { Row } from "./table.ts";

const PATH = "f/bench/slack";

/** Asks for its approval. The text of the message is the time of the call. */
const asks: BenchScript = {
  path: "f/bench/asks",
  language: "bun",
  content: `export async function main() {
  const { WM_JOB_ID, WM_WORKSPACE, WM_TOKEN, WM_FLOW_STEP_ID, BASE_INTERNAL_URL } = process.env;
  const query = new URLSearchParams({ slack_resource_path: "${PATH}", flow_step_id: WM_FLOW_STEP_ID, message: "asked at " + Date.now() });
  const url = BASE_INTERNAL_URL + "/api/w/" + WM_WORKSPACE + "/jobs/slack_approval/" + WM_JOB_ID + "?" + query;
  const { status } = await fetch(url, { headers: { authorization: "Bearer " + WM_TOKEN } });
  if (status !== 200) throw new Error("The call answered " + status);
}
`,
};

type Chatting = Measured & { url: string };

/** The times of one approval in a chat, in ms. */
interface Times {
  posted: number;
  answered: number;
  continued: number;
  changed: number;
}

/** Measures approvals in Slack. The fake replies at once, so the times are those of this service. */
export async function chatRows(chatting: Chatting): Promise<Row[]> {
  const slack = await startSlack();
  const { client, workspace, quick } = chatting;
  const exists = (await client.ask.resources.exists({ workspace, path: PATH })).text === "true";
  if (exists) await client.ask.resources.update({ workspace, path: PATH, body: { value: slack.resource } });
  else await client.ask.resources.create({ workspace, body: { path: PATH, resource_type: "slack", value: slack.resource } });
  const [runs, warmUp] = quick ? [1, 0] : [40, 5];
  const asking: FlowModule = { id: "ask", value: { type: "script", path: asks.path }, suspend: { required_events: 1, timeout: 3600 } };
  await saveScripts(client, workspace, [asks]);
  const path = await saveFlow(chatting, "chat", [asking, light("after", "10")]);
  const all: Times[] = [];
  try {
    for (let at = -warmUp; at < runs; at += 1) {
      const times = await approveOnce(chatting, slack, path);
      if (at >= 0) all.push(times);
    }
  } finally {
    await slack.stop();
  }
  const row = (line: string, of: keyof Times, atMost: number): Row => {
    const sample = sorted(all.map((times) => times[of]));
    return { line, value: p95(sample), unit: "ms", note: "p95", floor: chatting.floor.oneClient, target: { atMost } };
  };
  return [
    row("from the call of the script to the message", "posted", 1500),
    row("from the click to the reply", "answered", 300),
    row("from the click to the end of the flow", "continued", 500),
    row("from the click to the changed message", "changed", 2000),
  ];
}

async function approveOnce({ client, workspace, url }: Chatting, slack: FakeSlack, path: string): Promise<Times> {
  const arrivals: Record<string, (atMs: number) => void> = {};
  const arrival = (method: string) =>
    new Promise<number>((resolve) => {
      arrivals[method] = resolve;
    });
  slack.events.beforeAnswer = async (method) => arrivals[method]?.(Date.now());
  const [posts, updates] = [arrival("chat.postMessage"), arrival("chat.update")];
  const id = await startFlow({ client, workspace, quick: false }, path);
  const postedMs = await posts;
  const job = async () => JSON.parse((await client.ask.jobs.get({ workspace, id, query: { no_logs: true, no_code: true } })).text) as Shown;
  // The step has ended, and its task waits.
  while ((await job()).suspend !== 1) await sleep(50);
  await sleep(100);
  const message = slack.messages.at(-1);
  const askedMs = Number(/asked at (\d+)/.exec(JSON.stringify(message?.blocks))?.[1]);
  const body = message ? slack.click(message, "Approve", "U0BENCH") : "";
  const clickedMs = Date.now();
  const { method, address } = toRequest(operations, "chats.slack", { workspace, path: PATH });
  const { status } = await fetch(`${url}${address}`, {
    method,
    headers: slack.sign(body, Math.floor(clickedMs / 1000)),
    body,
  });
  if (status !== 200) throw new Error(`The click answered ${status}.`);
  const answeredMs = Date.now();
  const changedMs = await updates;
  let shown = await job();
  for (; shown.duration_ms === undefined; shown = await job()) await sleep(60);
  const endedMs = Date.parse(shown.started_at) + shown.duration_ms;
  return { posted: postedMs - askedMs, answered: answeredMs - clickedMs, continued: endedMs - clickedMs, changed: changedMs - clickedMs };
}

interface Shown {
  suspend?: number;
  started_at: string;
  duration_ms?: number;
}
