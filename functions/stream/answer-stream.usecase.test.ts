import { randomUUID } from "node:crypto";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import { beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import type { StreamEventJson } from "../../contract/routes/jobs/streams.ts";
import { routes } from "../../contract/routes/routes.ts";
import { personKey, userObject } from "../../core/people/person.ts";
import { hashToken } from "../../core/people/token.ts";
import { scriptHeadObject } from "../../core/scripts/version.ts";
import { extractStream } from "../../core/streams/stream-lines.ts";
import type { Invocation } from "../../ports/functions.ts";
import type { RunRequest } from "../../runners/protocol.ts";
import { recordHeartbeat } from "../../services/execution/heartbeat.ts";
import { createToken } from "../../services/identity/tokens/tokens.ts";
import { takeStreamSlot, toTokenReader } from "../../services/jobs/read/streams/stream-slots.ts";
import { toGatewayEvent } from "../../test/support/fuzz/gateway-event.ts";
import { newWorld, success, type World } from "../../test/support/use-cases/world.ts";
import { addFlow } from "../../test/support/use-cases/world-flows.ts";
import { addJob, addScript, addWorkspace, listJobs, work } from "../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import type { Reply } from "../shared/reply/reply.ts";
import { createStreamHandler } from "./answer-stream.ts";

let world: World;
let handler: ReturnType<typeof createStreamHandler>;
let token: string;
/** Each reading of the clock advances it by a second, so that a stream without events soon sends its pings. */
let readingMs = 1000;
beforeAll(async () => {
  world = await newWorld();
  await addWorkspace(world);
  const nowMs = () => {
    world.clock.nowMs += readingMs;
    return world.clock.nowMs;
  };
  const deps = { ...world.deps, nowMs };
  handler = createStreamHandler({ ...deps, findLastStep: async () => undefined }, { ...deps, publicKey: async () => undefined });
  token = await createToken(deps, anAdmin, {});
});

interface Sent {
  query?: [string, string][];
  headers?: [string, string][];
  token?: string;
}

function call(method: string, path: string, { query = [], headers = [], token: sentToken = token }: Sent = {}): Promise<Reply> {
  const authorization: [string, string] = ["authorization", `Bearer ${sentToken}`];
  const sent = { method, path: `/api/w/${world.workspace}/${path}`, query, headers: [authorization, ...headers] };
  return handler(toGatewayEvent(sent) as APIGatewayProxyEvent, { awsRequestId: "r" } as Context);
}

const open = async (reply: Reply, gone = new AbortController().signal) =>
  reply.chunks?.(gone) ?? expect.fail(`${reply.statusCode} ${reply.body}`);

async function saveScript(): Promise<{ path: string; hash: string }> {
  const { build, ...version } = await addScript(world, { path: `f/t/${randomUUID()}`, params: null });
  await world.deps.objects.put({ ...scriptHeadObject.key(world.workspace, version.path), value: version, build });
  return version;
}
const addSavedScript = async (): Promise<string> => (await saveScript()).path;

/** A run whose script writes output when the test calls `print`. */
function aWaitingRun() {
  const begun = Promise.withResolvers<RunRequest>();
  const ending = Promise.withResolvers<Invocation>();
  world.answers.run = (request) => {
    begun.resolve(request);
    return ending.promise;
  };
  let log = "";
  return {
    readLog: () => log,
    async print(id: string, text: string) {
      const { workspace, attempt, nonce, token: jobToken } = await begun.promise;
      await recordHeartbeat(world.deps, { id, workspace, token: jobToken }, { attempt, nonce, logs: { offset: log.length, text } });
      log += text;
    },
    end(last: string) {
      if (log.endsWith(last)) return;
      const invocation = success(null, last);
      if (invocation.kind === "outcome") invocation.outcome.logs.offset = log.length;
      log += last;
      ending.resolve(invocation);
    },
  };
}

interface BrowserEvent {
  id: string;
  data: StreamEventJson;
}

/**
 * Reads like the EventSource of a browser: whenever a stream ends, it repeats its request with the id of the last event, until a reply is not a
 * stream. `onEvent` returns whether the connection breaks after this event.
 */
async function readAsBrowser(
  connect: (headers: [string, string][]) => Promise<Reply>,
  onEvent: (event: BrowserEvent, reply: Reply) => Promise<"breaks" | undefined>,
): Promise<{ events: BrowserEvent[]; last: Reply; connections: number }> {
  const events: BrowserEvent[] = [];
  for (let connections = 1; ; connections += 1) {
    const lastId = events.at(-1)?.id;
    const reply = await connect(lastId === undefined ? [] : [["last-event-id", lastId]]);
    if (reply.statusCode !== 200) return { events, last: reply, connections };
    const reader = new AbortController();
    for await (const text of await open(reply, reader.signal)) {
      const [, id = "", data = ""] = /^id: (.+)\n(?:retry: 1000\n)?data: (.*)\n\n$/.exec(text) ?? expect.fail(text);
      const event = { id, data: JSON.parse(data) as StreamEventJson };
      events.push(event);
      if ((await onEvent(event, reply)) !== "breaks") continue;
      reader.abort();
      break;
    }
  }
}

const textOf = (events: BrowserEvent[], field: "new_logs" | "new_result_stream") =>
  events.map(({ data }) => (data.type === "update" ? (data[field] ?? "") : "")).join("");

/** Output whose stream lines are split between parts. */
const PARTS = ["plain\n", "WM_STREAM: a\\n\n", "half a WM_", "STREAM: no\nWM_STREAM: ", "b", "\nmore\n", "WM_STREAM: c\\n\n"];

describe("a stream that is cut after each event", () => {
  it.each([
    ["by its own end after 90 s", "timeout"],
    ["by the network", "network"],
  ])("%s has every character of log and stream once, and the end once", async (_, cut) => {
    const path = await addSavedScript();
    const run = aWaitingRun();
    const { headers: { "x-svc-job-id": job } = {} } = await call("GET", `jobs/run_and_stream/p/${path}`);
    const working = work(world);
    const parts = [...PARTS];
    const { events, last, connections } = await readAsBrowser(
      (headers) =>
        call("GET", `jobs_u/getupdate_sse/${job}`, {
          headers,
          query: [
            ["fast", "true"],
            ["poll_delay_ms", "50"],
          ],
        }),
      async ({ data }) => {
        if (data.type === "timeout" || (data.type === "update" && data.completed)) return;
        const part = parts.shift();
        if (part === undefined) run.end("WM_STREAM: d");
        else await run.print(String(job), part);
        if (cut === "network") return "breaks";
        world.clock.nowMs += limits.streamMs;
      },
    );
    await working;
    expect(textOf(events, "new_logs")).toBe(run.readLog());
    expect(textOf(events, "new_result_stream")).toBe(extractStream(run.readLog(), true));
    expect(events.filter(({ data }) => data.type === "update" && data.completed)).toHaveLength(1);
    // The browser reconnects after the end too, and 204 stops it.
    expect(last.statusCode).toBe(204);
    expect(connections).toBeGreaterThan(4);
  });

  it.each(["GET", "POST"])("of run_and_stream by %s continues the same run, without a header of the caller", async (method) => {
    const path = await addSavedScript();
    const run = aWaitingRun();
    const parts = [...PARTS];
    let working: Promise<void> | undefined;
    const { events, last } = await readAsBrowser(
      (headers) => call(method, `jobs/run_and_stream/p/${path}`, { headers, query: [["poll_delay_ms", "50"]] }),
      async ({ data }, reply) => {
        working ??= work(world);
        if (data.type === "timeout" || (data.type === "update" && data.completed)) return;
        const part = parts.shift();
        if (part === undefined) run.end("WM_STREAM: d");
        else await run.print(String(reply.headers?.["x-svc-job-id"]), part);
        if (data.type === "update" && data.new_result_stream) return "breaks";
        world.clock.nowMs += limits.streamMs;
      },
    );
    await working;
    expect(textOf(events, "new_result_stream")).toBe("a\nb" + "c\nd");
    expect(await listJobs(world, path)).toHaveLength(1);
    expect(last.statusCode).toBe(204);
  });
});

describe("a request that resumes run_and_stream", () => {
  it("starts nothing if the run is not stored any more, or belongs to another script or user", async () => {
    const [path, other] = [await addSavedScript(), await addSavedScript()];
    const reader = new AbortController();
    const chunks = await open(await call("GET", `jobs/run_and_stream/p/${path}`, { query: [["poll_delay_ms", "50"]] }), reader.signal);
    const [, id = ""] = /^id: (0-[0-9a-f]{32})\n/.exec(String((await chunks.next()).value)) ?? [];
    reader.abort();
    await chunks.return(undefined);
    const headers: [string, string][] = [["last-event-id", id]];
    const bob = { email: "bob@example.com", username: "bob", superAdmin: true };
    await world.deps.objects.put({ ...userObject.key(personKey(bob.email)), value: { ...bob, createdAtMs: world.clock.nowMs } });
    const ofBob = await createToken(world.deps, { ...anAdmin, ...bob }, {});
    const [job] = await listJobs(world, path);
    const replies = [
      await call("GET", `jobs/run_and_stream/p/${other}`, { headers }),
      await call("GET", `jobs/run_and_stream/p/${path}`, { headers, token: ofBob }),
      await call("GET", `jobs/run_and_stream/p/${path}`, { headers: [["last-event-id", `0-${"0".repeat(32)}`]] }),
    ];
    await world.deps.jobs.deleteItem(String(job?.id), "job");
    replies.push(await call("GET", `jobs/run_and_stream/p/${path}`, { headers }));
    expect(replies.map(({ statusCode, headers: sent }) => [statusCode, sent?.["x-svc-error"]])).toEqual(
      replies.map(() => [404, "stream.runUnknown"]),
    );
    expect([await listJobs(world, path), await listJobs(world, other)]).toEqual([[], []]);
  });
});

describe("a reader whose streams are all open", () => {
  it("is refused by every route that streams, and starts no job", async () => {
    const own = await createToken(world.deps, anAdmin, {});
    const { path, hash } = await saveScript();
    const { version } = await addFlow(world, path, { modules: [] });
    const { id } = await addJob(world);
    const reader = toTokenReader({ ...anAdmin, tokenHash: hashToken(own) });
    await Promise.all(Array.from({ length: limits.streamsPerToken }, () => takeStreamSlot(world.deps, reader)));
    const streaming = Object.values(routes).filter(({ reply }) => "event" in reply);
    expect(streaming.length).toBeGreaterThanOrEqual(10);
    const parts: Record<string, string | number> = { "path+": path, hash, version, id };
    for (const { name, method, path: address } of streaming) {
      const sent = address.replace("/api/w/{workspace}/", "").replace(/\{([^}]+)\}/, (_, part: string) => String(parts[part]));
      const { statusCode, headers } = await call(method, sent, { token: own });
      expect([name, statusCode, headers?.["x-svc-error"]]).toEqual([name, 429, "stream.tooMany"]);
    }
    expect(await listJobs(world, path)).toEqual([]);
  });
});

async function readToEnd(chunks: AsyncGenerator<string>): Promise<void> {
  for await (const _ of chunks);
}

describe("a reader that opens 200 streams and leaves", () => {
  const FRAME: Sent = { query: [["poll_delay_ms", "50"]] };
  it.each([
    ["and the platform tells it", "told"],
    ["and the platform does not tell it", "silent"],
    ["and the environments die", "dead"],
  ])("%s: at most 20 are live, the others are refused before anything starts, and all slots are free again", async (_, way) => {
    const [own, path] = [await createToken(world.deps, anAdmin, {}), await addSavedScript()];
    const { id } = await addJob(world);
    const addresses = [`jobs_u/getupdate_sse/${id}`, `jobs/run_and_stream/p/${path}`];
    const openAll = () =>
      Promise.all(Array.from({ length: 200 }, (_one, n) => call(n % 2 ? "POST" : "GET", addresses[n % 2] ?? "", { ...FRAME, token: own })));
    readingMs = 0;
    let started = 0;
    for (const round of [1, 2]) {
      const replies = await openAll();
      const live = replies.filter(({ statusCode }) => statusCode === 200);
      const refused = replies.filter(({ statusCode }) => statusCode === 429);
      expect([round, live.length, refused.length]).toEqual([round, limits.streamsPerToken, 200 - limits.streamsPerToken]);
      for (const { headers } of refused) expect(Number(headers?.["Retry-After"])).toBeGreaterThan(0);
      started += live.filter(({ headers }) => headers?.["x-svc-job-id"] !== id).length;
      expect(await listJobs(world, path)).toHaveLength(started);
      const leaving = new AbortController();
      const reading = way === "dead" ? [] : live.map(async (reply) => readToEnd(await open(reply, leaving.signal)));
      if (way === "told") leaving.abort();
      else world.clock.nowMs += limits.streamMs + limits.streamGraceMs;
      await Promise.all(reading);
    }
  });
});
