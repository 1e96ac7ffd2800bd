import { beforeAll, describe, expect, it } from "vitest";
import { parseExactJson } from "../../contract/json/exact-json.ts";
import { limits } from "../../contract/limits.ts";
import type { Job, RunningJob } from "../../core/jobs/record/job.ts";
import type { Invocation } from "../../ports/functions.ts";
import type { RunRequest } from "../../runners/protocol.ts";
import { success, type World } from "../../test/support/use-cases/world.ts";
import { addJob, newScriptWorld } from "../../test/support/use-cases/world-jobs.ts";
import { claimJob } from "../jobs/lifecycle/claim.ts";
import { type Executable, invokeRunner, passArguments } from "./invoke-runner.ts";

let world: World;
let hash: string;
beforeAll(async () => {
  ({ world, hash } = await newScriptWorld());
});

const lost: Invocation = { kind: "lost", reason: "the process ended" };
const load = async (id: string): Promise<Job> => (await world.deps.jobs.get(id)) ?? expect.fail();

interface Given {
  losses?: number;
  executable?: Partial<Executable>;
  args?: Record<string, unknown>;
  /** Happens to the job while its runner works. */
  during?: (job: RunningJob) => Promise<unknown>;
}

/** Calls runners for a claimed job, which answer one after the other. */
async function invoke(answers: Invocation[], { losses = 0, executable, args = {}, during }: Given = {}) {
  const queued = await addJob(world, { hash, losses });
  const job = (await claimJob(world.deps, queued.id)) ?? expect.fail();
  const requests: RunRequest[] = [];
  const functions = {
    ...world.deps.functions,
    async invokeRunner(_: string, request: RunRequest) {
      requests.push(request);
      if (requests.length === 1) await during?.(job);
      return answers[requests.length - 1] ?? expect.fail("A runner was called once more.");
    },
  };
  const script: Executable = { runner: "bun", artefact: { key: "k", sha256: hash }, params: ["n"], dedicated: false, ...executable };
  const ending = await invokeRunner({ ...world.deps, functions }, job, script, { args });
  return { job, requests, ending, stored: await load(job.id) };
}

const cancel = ({ id }: RunningJob) => world.deps.jobs.update(id, { cancel: { by: "ann", reason: "" } }, { attr: "state", eq: "running" });
const takeOver = ({ id }: RunningJob) => world.deps.jobs.update(id, { nonce: "another attempt" }, { attr: "state", eq: "running" });
const release = ({ id }: RunningJob) => world.deps.jobs.update(id, { state: "queued" }, { attr: "state", eq: "running" });

describe("the answer of a runner", () => {
  it.each<{ title: string; answers: Invocation[]; given?: Given; by?: string; error?: string; stored: Partial<Job> }>([
    { title: "an outcome is the runner's end", answers: [success(1)], by: "runner", stored: { state: "running", attempt: 1 } },
    {
      title: "a refusal queues the job, and counts no attempt",
      answers: [{ kind: "throttled" }],
      stored: { state: "queued", attempt: 0, losses: 0 },
    },
    {
      title: "no answer leaves the job to its runner",
      answers: [{ kind: "unknown", reason: "reset" }],
      stored: { state: "running", attempt: 1, losses: 0 },
    },
    {
      title: "a loss is followed by another attempt",
      answers: [lost, success(1)],
      by: "runner",
      stored: { state: "running", attempt: 2, losses: 1 },
    },
    {
      title: "a refusal after a loss queues the job with its loss",
      answers: [lost, { kind: "throttled" }],
      stored: { state: "queued", attempt: 1, losses: 1 },
    },
    {
      title: "the last allowed loss ends the job",
      answers: Array<Invocation>(limits.maxAttempts).fill(lost),
      by: "executor",
      error: "WorkerLost",
      stored: { attempt: limits.maxAttempts, losses: limits.maxAttempts - 1 },
    },
    {
      title: "earlier losses count",
      answers: [lost],
      given: { losses: limits.maxAttempts - 1 },
      by: "executor",
      error: "WorkerLost",
      stored: { attempt: 1 },
    },
    {
      title: "a loss of a canceled job ends it as canceled",
      answers: [lost],
      given: { during: cancel },
      by: "executor",
      error: "Canceled",
      stored: { attempt: 1 },
    },
    {
      title: "a loss of an attempt that another one has replaced changes nothing",
      answers: [lost],
      given: { during: takeOver },
      stored: { state: "running", attempt: 1, losses: 0 },
    },
    {
      title: "a loss of a job that was queued again changes nothing",
      answers: [lost],
      given: { during: release },
      stored: { state: "queued", losses: 0 },
    },
    {
      title: "a refusal of an attempt that another one has replaced changes nothing",
      answers: [{ kind: "throttled" }],
      given: { during: takeOver },
      stored: { state: "running", attempt: 1 },
    },
  ])("$title", async ({ answers, given, by, error, stored: expected }) => {
    const { ending, requests, stored } = await invoke(answers, given);
    expect(ending?.by).toBe(by);
    expect(requests).toHaveLength(answers.length);
    expect(stored).toMatchObject(expected);
    if (error) expect(ending).toMatchObject({ ending: { resultJson: expect.stringContaining(`"name":"${error}"`) } });
  });

  it("each attempt has a unique token, nonce and number", async () => {
    const { requests } = await invoke([lost, lost, success(1)]);
    expect(requests.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(new Set(requests.map(({ nonce }) => nonce)).size).toBe(3);
    expect(new Set(requests.map(({ token }) => token)).size).toBe(3);
  });
});

describe("the request of a runner", () => {
  const big = 9_007_199_254_740_993n;
  it.each<{ title: string; given: Given; request: object }>([
    { title: "calls main with its parameters", given: { args: { n: 1 } }, request: { entrypoint: "main", params: ["n"], args: { n: 1 } } },
    {
      title: "calls the function that the arguments name, without parameters of main",
      given: { args: { n: 1, _ENTRYPOINT_OVERRIDE: "other" }, executable: { paramTypes: { n: "date" } } },
      request: { entrypoint: "other", params: null, args: { n: 1 } },
    },
    { title: "calls main if the name is empty", given: { args: { _ENTRYPOINT_OVERRIDE: "" } }, request: { entrypoint: "main", args: {} } },
    { title: "calls main if the name is no text", given: { args: { _ENTRYPOINT_OVERRIDE: 1 } }, request: { entrypoint: "main", args: {} } },
    { title: "asks for a process that no other script uses", given: { executable: { dedicated: true } }, request: { dedicated: true } },
    { title: "limits the time of the run", given: {}, request: { timeoutMs: 60_000, executorWaitsMs: 180_000 } },
  ])("$title", async ({ given, request }) => {
    const { requests } = await invoke([success(1)], given);
    expect(requests[0]).toMatchObject(request);
    expect(requests[0]?.args).not.toHaveProperty("_ENTRYPOINT_OVERRIDE");
  });

  it.each<[runner: "bun" | "python3" | "bash" | "go", args: object, exact: boolean]>([
    ["bash", { n: big }, true],
    ["go", { n: [{ m: big }] }, true],
    ["bash", { n: 1 }, false],
    ["bun", { n: big }, false],
    ["python3", { n: big }, false],
  ])("contains the arguments of %s unchanged, or as exact JSON if its runtime would round a number", (runner, args, exact) => {
    const { args: plain, exactArgs } = passArguments(runner, { ...args });
    expect(exactArgs === undefined ? plain : parseExactJson(Buffer.from(exactArgs, "base64").toString())).toEqual(args);
    expect(exactArgs !== undefined).toBe(exact);
  });
});
