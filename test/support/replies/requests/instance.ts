import { bad, good, type Stage, type Steps, whole } from "../exchange.ts";
import { publishKey } from "../publish-key.ts";
import { aScript } from "./objects-in-use.ts";

const anonymous = { from: "nobody" } as const;
const paths = (body: string) => {
  const { openapi, info, paths: all } = JSON.parse(body) as { openapi: string; info: { title: string }; paths: object };
  return JSON.stringify({ openapi, title: info.title, hasPaths: Object.keys(all).length > 0 });
};

const pages: Steps = [
  good("home", anonymous),
  good("version", anonymous),
  good("health", anonymous),
  good("healthInDetail", { ...anonymous, show: (body) => body.replace(/"latency_ms":\d+/, '"latency_ms":0') }),
  good("openapi", { ...anonymous, show: paths }),
  good("reference", anonymous),
  good("referenceFile", { ...anonymous, params: { file: "index.html" } }),
  bad("referenceFile", { ...anonymous, params: { file: "none.html" } }),
  bad("cliPackage", anonymous),
  bad("configSchema", anonymous),
  bad("clientPackage", { ...anonymous, params: { path: "none.tgz" } }),
  good("approvalPage", { ...anonymous, params: { id: "a", resume_id: 1, signature: "b" } }),
  good("signedInApprovalPage", { ...anonymous, params: { id: "a" } }),
  good("devicePage", anonymous),
  good("chatLinkPage", anonymous),
  good("signInPage", anonymous),
  good("workspacePage", { ...anonymous, params: { path: "demo/runs" } }),
  good("accountPage", { ...anonymous, params: { tab: "tokens" } }),
  good("instancePage", { ...anonymous, params: { tab: "users" } }),
  good("sharedRunPage", { ...anonymous, params: { token: "a" } }),
  good("guides", anonymous),
  good("guide", { ...anonymous, params: { name: "flows" } }),
  bad("guide", { ...anonymous, params: { name: "none" } }),
  good("asset", { ...anonymous, params: { file: "approve.html" } }),
  bad("asset", { ...anonymous, params: { file: "none.js" } }),
];

/** A job whose runner has not reported its end, with the runner's token and the number of its attempt. */
async function startRunning(stage: Stage): Promise<void> {
  const { world, kept, work } = stage;
  await publishKey(stage);
  world.answers.run = async () => ({ kind: "unknown", reason: "The connection broke." });
  await work();
  const request = world.runs.at(-1);
  Object.assign(kept, { token: request?.token ?? "", nonce: request?.nonce ?? "" });
}

const outcome = {
  outcome: "success",
  result: 1,
  logs: { offset: 0, text: "a line\n" },
  timings: { setupMs: 0, runMs: 1, totalMs: 1, freshHost: true },
};
const runner = { from: "nobody", token: "<token>", params: { id: "<job>" } } as const;
const other = { ...runner, params: { id: "00000000-0000-4000-8000-000000000000" } };
const attempt = { attempt: 1, nonce: "<nonce>" };

const internal: Steps = [
  ...aScript,
  good("runScriptByPath", { params: { path: "f/t/script" }, json: { x: 1 }, keep: { job: whole }, alone: true }),
  startRunning,
  good("beat", { ...runner, json: { ...attempt, logs: { offset: 0, text: "a line\n" }, memPeakKb: 100 } }),
  bad("beat", { ...other, json: attempt }),
  bad("beat", { ...runner, json: {} }),
  bad("beat", { ...runner, json: { attempt: 1, nonce: "another" } }),
  good("check", { ...runner, json: { args: { x: 1 } } }),
  bad("check", { ...runner, json: { args: 1 } }),
  good("report", { ...runner, json: { ...attempt, outcome } }),
  bad("report", { ...runner, json: { ...attempt, outcome: {} } }),
  bad("report", { ...runner, token: "a.b.c", json: { ...attempt, outcome } }),
];

/** The instance, its pages, and the routes of runners. */
export const instance: Steps = [...pages, ...internal];
