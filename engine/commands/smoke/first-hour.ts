import { randomBytes, randomUUID } from "node:crypto";
import type { Body, Reply } from "../../../contract/client/operation.ts";
import { operations } from "../../../contract/client/operations/all.ts";
import { toRequest } from "../../../contract/client/request.ts";
import { Complaint } from "../../launch/complaint.mjs";
import { assumptions } from "./assumptions.ts";
import { type Api, call, createApi, expectEqual, RUN_LIMIT_MS, request, step, type Target, until } from "./client.ts";
import { built } from "./languages.ts";
import { checkLeftStreams, checkStream } from "./streams.ts";
import { checkQueue, checkRoute, checkSchedule } from "./triggers.ts";
import { checkUpload } from "./uploads.ts";

export interface FirstHourOptions {
  target: Target;
  workspace: string;
  /** The user of the token, whose folder contains the scripts of the checks. */
  username: string;
  /** For tests of the checks: shorter and fewer runs, which prove less. */
  quick: boolean;
  /** Whether the checks may create a queue with the AWS credentials of the shell. */
  sources: boolean;
  /** The address that receives a mail about an approval. */
  mail?: string | undefined;
}

interface Context extends FirstHourOptions {
  size: typeof WHOLE;
  api: Api;
  /** Saves a script or a flow below the folder of these checks, and returns its path. */
  saveScript(name: string, content: string, more?: object): Promise<string>;
  saveFlow(name: string, modules: object[]): Promise<string>;
}

/** A check returns a short description of its observation. */
type Check = (context: Context) => Promise<string>;

/**
 * Jobs of a group, concurrent calls, seconds of a stream, and seconds without a call, after which the functions of the runners are frozen.
 */
const WHOLE = { groupJobs: 30, calls: 30, streamS: 120, idleS: 90 };
const QUICK: typeof WHOLE = { groupJobs: 4, calls: 3, streamS: 2, idleS: 1 };
const GROUP_LIMIT_MS = 300_000;
const RESULT_BYTES = 5_000_000;
/** The clocks of two machines differ by less than this. */
const CLOCK_MS = 50;

const TWICE = "export const main = (n: number) => n * 2;";

const checks: Record<string, Check> = {
  async "concurrency-group"({ api, saveScript, size }) {
    const content = `export async function main() {
  const beganMs = Date.now();
  await new Promise((resolve) => setTimeout(resolve, 200));
  return [beganMs, Date.now()];
}`;
    const path = await saveScript("group", content, { concurrent_limit: 1, concurrency_time_window_s: 0 });
    const jobs = await Promise.all(Array.from({ length: size.groupJobs }, () => api.call.jobs.run.scripts({ path, body: {} })));
    const spans = await Promise.all(jobs.map((job) => resultOf(api, job, GROUP_LIMIT_MS) as Promise<[number, number]>));
    const sorted = spans.toSorted(([a], [b]) => a - b);
    const overlap = sorted.findIndex(([beganMs], n) => n > 0 && beganMs + CLOCK_MS < (sorted[n - 1]?.[1] ?? 0));
    if (overlap >= 0) throw new Complaint(`Run ${overlap} of the group began before the one before it had ended.`);
    return `${size.groupJobs} jobs, one after the other`;
  },

  stream: checkStream,
  "left-streams": checkLeftStreams,
  challenge: checkRoute,
  schedule: checkSchedule,
  queue: checkQueue,
  upload: checkUpload,

  async hidden({ api, saveScript }) {
    const path = await saveScript(
      "hidden",
      `import { readdirSync, readFileSync } from "node:fs";
const works = (read: () => unknown) => { try { read(); return true; } catch { return false; } };
export function main() {
  const supervisor = "/proc/" + process.ppid;
  return { root: process.getuid?.() === 0, seen: [works(() => readFileSync(supervisor + "/environ")), works(() => readdirSync(supervisor + "/fd"))] };
}`,
    );
    const job = await api.call.jobs.run.scripts({ path, body: {} });
    const { root, seen } = (await resultOf(api, job)) as { root: boolean; seen: boolean[] };
    // Locally the engine may run as root, from whom nothing is hidden.
    if (root) return "skipped: scripts run as root here";
    expectEqual(seen, [false, false], "The list of what a script can read");
    return "a script cannot read environment and descriptors of its supervisor";
  },

  async restart({ api, saveFlow }) {
    const path = await saveFlow("restart", [bun("a", "export const main = () => Date.now();"), bun("b", TWICE, { n: "results.a" })]);
    const first = await api.call.jobs.run.flows({ path, body: {} });
    const result = await resultOf(api, first);
    const again = await api.call.jobs.restart.flows({ id: first, body: { step_id: "b" } });
    expectEqual(await resultOf(api, again), result, "The result of the restarted flow");
    return "from its second step, with the result of the first";
  },

  async approval({ target, api, saveFlow }) {
    const path = await saveFlow("approval", [
      { ...bun("ask", "export const main = () => 1;"), suspend: { required_events: 1, timeout: 600 } },
      bun("after", "export const main = (ok: unknown) => ok;", { ok: "resume" }),
    ]);
    const run = await api.call.jobs.run.flows({ path, body: {} });
    const gate = await openGate(api, run);
    const [resume = ""] = gate.links?.resume ?? [];
    const page = gate.links?.approvalPage ?? "";
    const shown = await call({ ...target, url: "" }, "GET", page, { anonymous: true });
    if (!shown.headers.get("content-type")?.startsWith("text/html"))
      throw new Complaint(`The approval page returned ${shown.status} without HTML.`);
    const decided = await call({ ...target, url: "" }, "POST", resume, { anonymous: true, body: { ok: true } });
    if (decided.status !== 201) throw new Complaint(`The link that resumes the flow returned ${decided.status}: ${decided.text}`);
    expectEqual(await resultOf(api, run), { ok: true }, "The result");
    const sentNotice = await until(RUN_LIMIT_MS, "The notice to the topic", async () => {
      const { gates } = await readRun(api, run);
      return gates.flatMap(({ notices }) => notices ?? []).find(({ channel, state }) => channel === "topic" && state === "sent");
    });
    return `approved by its link, the topic received "${sentNotice.what}"`;
  },

  async mail({ api, saveFlow, mail }) {
    if (!mail) return "skipped: name a recipient with --mail";
    const path = await saveFlow("mail", [{ id: "ask", value: { type: "consentgate", approvers: [mail], timeout: 600 } }]);
    const run = await api.call.jobs.run.flows({ path, body: {} });
    await openGate(api, run);
    const notice = await until(RUN_LIMIT_MS, "A delivery of the mail", async () => {
      const { gates } = await readRun(api, run);
      return gates.flatMap(({ notices }) => notices ?? []).find(({ channel, state }) => channel === "email" && state !== "retrying");
    });
    await api.call.jobs.cancel({ id: run, body: { reason: "The check has ended." } });
    if (notice.state !== "sent") throw new Complaint(`The mail is ${notice.state}: ${notice.error ?? "no reason was recorded"}`);
    return `SES accepted the mail to ${mail}: look at its inbox`;
  },

  async "large-values"({ api, saveScript }) {
    const path = await saveScript("large", `export const main = (text: string, n: number) => text.length + "x".repeat(n);`);
    const text = "y".repeat(3_000_000);
    const job = await api.call.jobs.run.scripts({ path, body: { text, n: RESULT_BYTES } });
    const got = (await resultOf(api, job)) as string;
    expectEqual([got.slice(0, 7), got.length], [`${text.length}`, RESULT_BYTES + 7], "The begin and the length of the result");
    return "arguments of 3 MB, a result of 5 MB";
  },

  async idempotency({ target, workspace, saveScript }) {
    const path = await saveScript("twice", TWICE);
    const headers = { "idempotency-key": randomBytes(8).toString("hex") };
    const runs = [1, 2].map(() => request(target, "jobs.run.scripts", { workspace, path, body: { n: 1 }, headers }));
    const [first, second] = await Promise.all(runs);
    if (first?.status !== 201) throw new Complaint(`The run with a key returned ${first?.status}: ${first?.text}`);
    expectEqual(second?.text, first.text, "The job of the second call");
    return "two calls with one key started one job";
  },

  async burst({ api, saveScript, size }) {
    const path = await saveScript("burst", TWICE);
    const numbers = Array.from({ length: size.calls }, (_, n) => n);
    const wait = (n: number) => api.call.jobs.runWait.scripts({ path, body: { n } });
    const results = await Promise.all(numbers.map(wait));
    expectEqual(
      results,
      numbers.map((n) => n * 2),
      "The results",
    );
    return `${size.calls} calls at once`;
  },

  async idle({ api, saveScript, size: { idleS } }) {
    const path = await saveScript("idle", TWICE);
    const run = () => api.call.jobs.runWait.scripts({ path, body: { n: 21 } });
    await run();
    await new Promise((resolve) => setTimeout(resolve, idleS * 1000));
    for (let n = 0; n < 5; n += 1) expectEqual(await run(), 42, "The result after the pause");
    return `five runs after ${idleS} s without one`;
  },

  async edge({ target, workspace }) {
    const { headers } = await request(target, "instance.version", {}, { anonymous: true });
    const refused = await request(target, "users.whoamiGlobal", {}, { anonymous: true });
    expectEqual([refused.status, refused.headers.has("x-svc-error")], [401, true], "The reply to a call without a token");
    // An error that CloudFront stores reaches every caller of its path.
    const unknown = toRequest(operations, "jobs.getCompleted", { workspace, id: randomUUID() }).address;
    for (const caller of [1, 2]) {
      const missing = await call(target, "GET", `${unknown}?caller=${caller}`);
      expectEqual([missing.status, missing.headers.get("age")], [404, null], "The reply to a call for an unknown job, and its age");
    }
    if (isLoopback(target.url)) return "skipped: this instance has no CloudFront";
    if (!headers.get("via")?.includes("cloudfront")) throw new Complaint("The reply has no header of CloudFront.");
    const cache = headers.get("x-cache") ?? "";
    if (/^Hit/i.test(cache)) throw new Complaint(`The reply came from the cache: ${cache}.`);
    return cache;
  },

  async login({ target, api }) {
    const { oauth } = await api.call.oauth.listLogins();
    const names = oauth.map(({ type }) => type);
    for (const name of names) {
      const { status, headers } = await request(target, "oauth.login", { client: name }, { anonymous: true, redirect: "manual" });
      const location = headers.get("location") ?? "";
      if (status < 300 || status > 399 || !URL.canParse(location))
        throw new Complaint(`The login ${name} returned ${status} without a redirect.`);
    }
    return names.length === 0 ? "skipped: no provider is configured" : `${names.join(", ")}: sign in with a browser once`;
  },
};

/** Runs every check that HTTP can reach, prints the others, and returns whether all succeeded. */
export async function checkFirstHour(options: FirstHourOptions): Promise<boolean> {
  const { target, workspace, username } = options;
  const api = createApi(target, workspace);
  const folder = `u/${username}/first_hour_${randomBytes(4).toString("hex")}`;
  const saved: { kind: "scripts" | "flows"; path: string }[] = [];
  const context: Context = {
    ...options,
    size: options.quick ? QUICK : WHOLE,
    api,
    async saveScript(name, content, more = {}) {
      const path = `${folder}_${name}`;
      const script = { path, summary: "check of a deployment", description: "", content, language: "bun", ...more } as const;
      const hash = await api.call.scripts.create({ body: script });
      saved.push({ kind: "scripts", path });
      await built(api.call, hash);
      return path;
    },
    async saveFlow(name, modules) {
      const path = `${folder}_${name}`;
      const value = { modules } as Body<"flows.create">["value"];
      await api.call.flows.create({ body: { path, summary: "check of a deployment", value } });
      saved.push({ kind: "flows", path });
      return path;
    },
  };
  let allWell = true;
  for (const { id, title, otherwise } of assumptions.filter(({ by }) => by === "command")) {
    const check = checks[id];
    if (!check) throw new Error(`The assumption ${id} has no check.`);
    const isWell = await step(title, () => check(context));
    if (!isWell) process.stdout.write(`     ${otherwise}\n`);
    allWell = allWell && isWell;
  }
  const isRemoved = await step("remove the scripts and flows", async () => {
    for (const { kind, path } of saved)
      await (kind === "scripts" ? api.call.scripts.deleteByPath({ path }) : api.call.flows.delete({ path }));
    return undefined;
  });
  process.stdout.write("\nOnly you can check the following (docs/aws.md has the commands):\n");
  for (const { title, holds } of assumptions.filter(({ by }) => by === "person")) process.stdout.write(`- ${title}: ${holds}\n`);
  return allWell && isRemoved;
}

const bun = (id: string, content: string, inputs: Record<string, string> = {}) => ({
  id,
  value: {
    type: "rawscript",
    language: "bun",
    content,
    input_transforms: Object.fromEntries(Object.entries(inputs).map(([name, expr]) => [name, { type: "javascript", expr }])),
  },
});

/** Waits for the end of a job and returns its result. A failed job is a failed check. */
async function resultOf(api: Api, job: string, limitMs = RUN_LIMIT_MS): Promise<unknown> {
  await until(limitMs, `The end of job ${job}`, async () => {
    const maybe = await api.call.jobs.getResultMaybe({ id: job });
    if (maybe.completed && maybe.success === false) throw new Complaint(`Job ${job} failed: ${JSON.stringify(maybe.result).slice(0, 400)}`);
    return maybe.completed || undefined;
  });
  return await api.call.jobs.getResult({ id: job });
}

type Run = Reply<"approvals.run">;

const readRun = (api: Api, run: string): Promise<Run> => api.call.approvals.run({ run_id: run });

function openGate(api: Api, run: string): Promise<Run["gates"][number]> {
  return until(RUN_LIMIT_MS, "The request for approval", async () =>
    (await readRun(api, run)).gates.find(({ decision }) => decision === undefined),
  );
}

const isLoopback = (url: string) => ["127.0.0.1", "localhost", "[::1]"].includes(new URL(url).hostname);
