import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { env } from "../../../contract/env.ts";
import { api } from "../../support/api/api.ts";
import { eventsOf, streamOf } from "../../support/api/events.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { invoke, misdirected } from "../../support/engine/aws.ts";
import { startTestInstance, type TestInstance } from "../../support/engine/instances.ts";
import { crashFunction } from "../../support/engine/processes.ts";
import { saveTellingScripts } from "../../support/jobs/telling.ts";
import { startWitness, type Witness } from "../../support/jobs/witness.ts";
import { until } from "../../support/until.ts";

/** Processes are killed and clocks are moved here, so this file has its own instance. */
let instance: TestInstance;
let ws: Workspace;
let witness: Witness;
beforeAll(async () => {
  [instance, witness] = await Promise.all([startTestInstance(), startWitness()]);
  ws = await newWorkspace(api({ url: instance.url, token: instance.admin.token }));
  await saveTellingScripts(ws);
});
afterAll(async () => {
  await witness?.close();
  await instance?.stop();
});

const tagged = (what: string, tag: string) => witness.reports.filter((report) => report.what === what && report.query["tag"] === tag);
const waitForReport = (what: string, tag: string, times = 1) =>
  until(() => tagged(what, tag)[times - 1], { timeoutMs: 90_000, what: `'${what}' of ${tag}, ${times} times` });
/** Housekeeping as it would be done that many seconds from now. */
const housekeep = (inS = 0) =>
  invoke("HousekeepingFunction", { nowMs: Date.now() + inS * 1000 }, instance) as Promise<Record<string, number>>;
const job = async (id: string) => expectStatus(await ws.get(`jobs_u/get/${id}`), 200).json as Record<string, unknown>;
const args = (tag: string, seconds = 0) => ({ url: witness.url, tag, seconds: String(seconds) });

describe("a runner that crashes during a run", () => {
  it("the crash uses up one attempt: the job runs again, and its script reads the number of the attempt", async () => {
    const id = await ws.run("f/t/slow", args("once", 3));
    await waitForReport("begun", "once");
    expect(crashFunction(instance, { runner: "bash" })).toBeGreaterThan(0);
    const ended = await ws.completed(id);
    expect(ended).toMatchObject({ success: true, result: "done" });
    expect(tagged("begun", "once").map(({ query }) => query["attempt"])).toEqual(["1", "2"]);
    expect(ended["logs"]).toMatch(/attempt 2\n/);
  });

  it.each([
    ["bun", "begun_ts"],
    ["python3", "begun_py"],
  ])("a runner of %s behaves the same", async (language, begun) => {
    const before = witness.count(begun);
    const id = await ws.run(`f/t/slow_${language}`, { url: witness.url });
    await witness.waitForReport(begun, before + 1);
    crashFunction(instance, { runner: language });
    expect(await ws.completed(id)).toMatchObject({ success: true, result: `${language} 2` });
    expect(witness.count(begun)).toBe(before + 2);
  });

  it("the next attempt after a preprocessor begins with the request again", async () => {
    const content = `export const preprocessor = (event) => ({ url: event.body.url, attempt: process.env.OV_ATTEMPT });
      export async function main(url, attempt) {
        await fetch(url + "/begun_pre");
        if (attempt === "1") await new Promise((resolve) => setTimeout(resolve, 30_000));
        return "attempt " + attempt;
      }`;
    await ws.saveScript({ path: "f/t/pre", language: "bun", content });
    const before = witness.count("begun_pre");
    const id = await ws.run("f/t/pre", { url: witness.url });
    await witness.waitForReport("begun_pre", before + 1);
    crashFunction(instance, { runner: "bun" });
    expect(await ws.completed(id)).toMatchObject({
      result: "attempt 2",
      preprocessed: true,
      args: { url: witness.url, attempt: "2" },
    });
  });

  it("a synchronous caller waits for the result of the next attempt", async () => {
    const waiting = ws.runWait("f/t/slow", args("sync", 3));
    await waitForReport("begun", "sync");
    crashFunction(instance, { runner: "bash" });
    expect((await waiting).json).toBe("done");
    expect(tagged("begun", "sync").map(({ query }) => query["attempt"])).toEqual(["1", "2"]);
  });

  it("a job with a secret has one entry of it in the audit log, from the first attempt", async () => {
    const variable = { path: "f/t/audited", value: "planted-audited", is_secret: true, description: "" };
    expect((await ws.post("variables/create", variable)).status).toBe(201);
    const id = await ws.run("f/t/slow", { ...args("audited", 2), secret: "$var:f/t/audited" });
    const entries = async () => (await ws.get("audit/list", { operation: "variables.decrypt_secret", resource: "f/t/audited" })).json;
    await waitForReport("begun", "audited");
    const first = await entries();
    expect(first).toMatchObject([{ action_kind: "Execute", parameters: { job: id } }]);
    crashFunction(instance, { runner: "bash" });
    await ws.completed(id);
    expect(tagged("begun", "audited").map(({ query }) => query["attempt"])).toEqual(["1", "2"]);
    expect(await entries()).toEqual(first);
  });

  it("three crashes end the job as WorkerLost, after three attempts in all", async () => {
    const id = await ws.run("f/t/slow", args("thrice", 60));
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const { query } = await waitForReport("begun", "thrice", attempt);
      expect(query["attempt"]).toBe(String(attempt));
      crashFunction(instance, { runner: "bash" });
    }
    expect(await ws.completed(id)).toMatchObject({
      success: false,
      canceled: false,
      result: { error: { name: "WorkerLost", message: expect.stringContaining("3 times") } },
    });
    expect(tagged("begun", "thrice")).toHaveLength(3);
  });

  it("a crash during a cancellation ends the job as canceled, without another attempt", async () => {
    const id = await ws.run("f/t/slow", args("canceled", 60));
    await waitForReport("begun", "canceled");
    const [cancel] = await Promise.all([ws.post(`jobs_u/queue/cancel/${id}`, { reason: "enough" })]);
    expectStatus(cancel, 200);
    crashFunction(instance, { runner: "bash" });
    expect(await ws.completed(id)).toMatchObject({ canceled: true, canceled_reason: "enough" });
    expect(tagged("begun", "canceled")).toHaveLength(1);
  });
});

describe("streams whose runner crashes", () => {
  it("a stream continues with the chunks of the next attempt, even if there are fewer than before", async () => {
    const content = `export async function* main() {
        if (process.env.OV_ATTEMPT === "1") { yield "first ".repeat(100); await Bun.sleep(60_000); }
        yield "second";
      }`;
    await ws.saveScript({ path: "f/t/dies_once", language: "bun", content });
    const id = await ws.run("f/t/dies_once");
    let crashed = 0;
    const found = await eventsOf(ws, `jobs_u/getupdate_sse/${id}`, {
      query: { only_result: "true" },
      until: ({ data }) => {
        if (data["new_result_stream"] && crashed === 0) crashed = crashFunction(instance, { runner: "bun" });
        return false;
      },
    });
    expect(crashed).toBeGreaterThan(0);
    expect(streamOf(found)).toBe(`${"first ".repeat(100)}second`);
    const update = expectStatus(await ws.get(`jobs_u/getupdate/${id}`, { stream_offset: 600 }), 200).json;
    expect(update).toMatchObject({ completed: true, new_result_stream: "second", stream_offset: 606 });
  });
});

describe("a worker that crashes while its runner runs", () => {
  it("a run that is long enough to report its own end loses nothing", async () => {
    const id = await ws.run("f/t/slow", args("told", 7));
    await waitForReport("begun", "told");
    expect(crashFunction(instance, { output: "WorkerFunction" })).toBeGreaterThan(0);
    expect(await ws.completed(id)).toMatchObject({ success: true, result: "done", logs: "attempt 1\ndone\n" });
    expect([tagged("begun", "told").length, tagged("ended", "told").length]).toEqual([1, 1]);
  });

  it("housekeeping queues the job again after the lease if the runner crashes as well", async () => {
    const id = await ws.run("f/t/slow", args("both", 5));
    await waitForReport("begun", "both");
    crashFunction(instance, { output: "WorkerFunction" });
    crashFunction(instance, { runner: "bash" });
    expect(await job(id)).toMatchObject({ running: true });
    // Until the lease expires, housekeeping changes nothing.
    await housekeep();
    expect(await job(id)).toMatchObject({ running: true });
    await until(async () => (await housekeep(80))["requeued"] || (await job(id))["type"] === "CompletedJob", {
      what: "the lost job queued again",
    });
    expect(await ws.completed(id)).toMatchObject({ success: true, result: "done" });
    expect(tagged("begun", "both").map(({ query }) => query["attempt"])).toEqual(["1", "2"]);
  });
});

describe("a worker that is called for a synchronous run", () => {
  const secret = { path: "f/t/given", value: "planted-given", is_secret: true, description: "" };
  const given = (tag: string, seconds: number) => ({ ...args(tag, seconds), secret: `$var:${secret.path}` });
  beforeAll(async () => void expectStatus(await ws.post("variables/create", secret), 201));

  it("a worker that crashes leaves the caller waiting for the report of the runner", async () => {
    const waiting = ws.runWait("f/t/slow", given("called", 7));
    await waitForReport("begun", "called");
    crashFunction(instance, { output: "WorkerFunction" });
    expect((await waiting).json).toBe("done");
    expect([tagged("begun", "called").length, tagged("ended", "called").length]).toEqual([1, 1]);
  });

  it("a worker that loses its runner starts the run again", async () => {
    const waiting = ws.runWait("f/t/slow", given("taken-over", 3));
    await waitForReport("begun", "taken-over");
    crashFunction(instance, { runner: "bash" });
    expect((await waiting).json).toBe("done");
    expect(tagged("begun", "taken-over").map(({ query }) => query["attempt"])).toEqual(["1", "2"]);
  });

  it("an unavailable worker receives the job through the queue, once", async () => {
    const answer = await misdirected(instance, /Run/, env.workerFunction, () => ws.runWait("f/t/slow", given("refused", 0)));
    expect(answer.json).toBe("done");
    expect(tagged("begun", "refused").map(({ query }) => query["attempt"])).toEqual(["1"]);
  });
});

describe("the runner's internal routes", () => {
  const nothing = {
    outcome: "success",
    result: "forged",
    logs: { offset: 0, text: "" },
    timings: { setupMs: 0, runMs: 0, totalMs: 0, freshHost: true },
  };
  const call = (id: string, route: "beat" | "report", token: string, body: object) =>
    ws.api.call("POST", `internal/jobs/${id}/${route}`, { token, body });

  it("the routes reject a wrong nonce or attempt, the token of another job, and a missing token; the job continues unchanged", async () => {
    const [first, second] = await Promise.all([ws.run("f/t/slow", args("spoken", 4)), ws.run("f/t/slow", args("other", 4))]);
    const token = (await waitForReport("begun", "spoken")).query["token"] ?? "";
    const other = (await waitForReport("begun", "other")).query["token"] ?? "";
    expect(token.split(".")).toHaveLength(3);
    const wrong = { attempt: 1, nonce: "0123456789abcdef01234567" };
    const forgedLog = { logs: { offset: 0, text: "forged" } };
    for (const answer of [
      await call(first, "beat", token, { ...wrong, ...forgedLog }),
      await call(first, "beat", token, { ...wrong, attempt: 2 }),
      await call(first, "report", token, { ...wrong, outcome: nothing }),
    ]) {
      expect([answer.status, answer.headers.get("x-svc-error")]).toEqual([409, "job.attemptLost"]);
    }
    const flipped = `${token.slice(0, -6)}${token.endsWith("A") ? "BBBBBB" : "AAAAAA"}`;
    for (const bearer of [other, flipped, ws.api.token, "nonsense", ""]) {
      for (const answer of [
        await call(first, "beat", bearer, { ...wrong, ...forgedLog }),
        await call(first, "report", bearer, { ...wrong, outcome: nothing }),
      ]) {
        expect(answer.status).toBe(401);
      }
    }
    expect(await ws.completed(first)).toMatchObject({ success: true, result: "done", logs: "attempt 1\ndone\n" });
    expect(await ws.completed(second)).toMatchObject({ success: true, result: "done", logs: "attempt 1\ndone\n" });
    // Nor after the end.
    const ended = await ws.completed(first);
    for (const answer of [
      await call(first, "beat", token, { ...wrong, ...forgedLog }),
      await call(first, "report", token, { ...wrong, outcome: nothing }),
    ]) {
      expect([401, 409]).toContain(answer.status);
    }
    expect(await ws.completed(first)).toEqual(ended);
  });
});

describe("a job canceled by force while it runs", () => {
  it("the job is still canceled when its runner reports success later", async () => {
    const id = await ws.run("f/t/slow", args("forced", 6));
    await waitForReport("begun", "forced");
    // If the script ends first, no heartbeat stops the runner in time; the record must not change in either case.
    expectStatus(await ws.post(`jobs_u/queue/force_cancel/${id}`, { reason: "now" }), 200);
    const ended = await ws.completed(id);
    expect(ended).toMatchObject({ canceled: true, success: false, canceled_reason: "now" });
    await ws.completed(await ws.run("f/t/slow", args("behind", 8)), 90_000);
    expect(await ws.completed(id)).toMatchObject({ canceled: true, success: false, canceled_reason: "now", result: ended["result"] });
  });
});

describe("an engine that is stopped", () => {
  it("queued jobs run after the next start, and scripts and completed jobs still exist", async () => {
    const before = await ws.completed(await ws.run("f/t/quick", args("before-the-stop")));
    // The scripts run for some seconds, so that those that the new engine claims immediately still run when it searches for lost jobs.
    const delayed = await Promise.all([1, 2, 3].map((n) => ws.run("f/t/slow", args(`waiting-${n}`, 4), { scheduled_in_secs: 8 })));
    const queued = await Promise.all(Array.from({ length: 8 }, (_, n) => ws.run("f/t/slow", args(`queued-${n}`, 4))));
    await instance.stopEngine();
    const down = await ws.get("scripts/list");
    expect([down.status, down.headers.get("x-svc-error")]).toEqual([503, "engine.unreachable"]);
    await instance.startEngine();
    expect(await ws.completed(String(before["id"]))).toEqual(before);
    expect((await ws.get("scripts/get/p/f/t/quick")).status).toBe(200);
    // No call and no clock is needed: the engine finds jobs that ran, or whose message was sent to a worker, when it starts.
    for (const id of [...delayed, ...queued]) expect(await ws.completed(id)).toMatchObject({ success: true, result: "done" });
    const attempts = (what: string, tag: string) => tagged(what, tag).map(({ query }) => query["attempt"]);
    for (let n = 1; n <= 3; n += 1) expect(attempts("begun", `waiting-${n}`)).toEqual(["1"]);
    for (let n = 0; n < 8; n += 1) {
      // One that ran when the engine stopped began twice, as two attempts; each of them once.
      expect([["1"], ["2"], ["1", "2"]]).toContainEqual(attempts("begun", `queued-${n}`));
      expect([["1"], ["2"], ["1", "2"]]).toContainEqual(attempts("ended", `queued-${n}`));
    }
  }, 240_000);
});
