import { beforeAll, describe, expect, it } from "vitest";
import type { JobKind } from "../../../contract/job-kind.ts";
import { hasEnded, type QueuedJob, type RunningJob } from "../../../core/jobs/record/job.ts";
import { canceledEnding } from "../../../core/jobs/record/lifecycle.ts";
import { expectToSurviveFaults } from "../../../test/support/use-cases/failing-writes.ts";
import { success, type World } from "../../../test/support/use-cases/world.ts";
import { addJob, newScriptWorld } from "../../../test/support/use-cases/world-jobs.ts";
import { claimJob } from "../../jobs/lifecycle/claim.ts";
import { endJobWithValue } from "../../jobs/lifecycle/end/end-job.ts";
import { loadLogs, loadValue } from "../../jobs/values/values.ts";
import { endExecutedJob } from "./end-executed-job.ts";
import { decideEnd, type JobEnding } from "./job-ending.ts";

let world: World;
let hash: string;
beforeAll(async () => {
  ({ world, hash } = await newScriptWorld());
});

const claim = async (fields: Partial<QueuedJob> = {}): Promise<RunningJob> =>
  (await claimJob(world.deps, (await addJob(world, { hash, ...fields })).id)) ?? expect.fail("The job could not be claimed.");

async function loadEnded(id: string) {
  const job = await world.deps.jobs.get(id);
  if (!job || !hasEnded(job)) throw new Error(`The job is ${job?.state}.`);
  return job;
}

const code = (value: unknown) => ({ in: "head" as const, json: JSON.stringify(value) });
const source = code({ content: "export const main = () => 1;" });
const flow = { execution: 0, plan: "flows/none/plan.json" };
const refused = {};
/** The fields with which the executor of each kind returns an end. */
const jobs = {
  script: {},
  preview: { language: "bun", code: source },
  dependencies: { language: "bun", code: source },
  flow: { flow },
  flowpreview: { flow },
  singlestepflow: { flow },
  flowdependencies: { code: code({ flow: { modules: [] } }) },
  flowscript: { parent: "a flow that is gone" },
  appdependencies: refused,
  appscript: refused,
  deploymentcallback: refused,
  flownode: refused,
  identity: refused,
  script_hub: refused,
} satisfies Record<JobKind, Partial<QueuedJob>>;

it.each(Object.entries(jobs) as [JobKind, Partial<QueuedJob>][])(
  "the executor of a job of kind %s returns its end and leaves the job running; a repeated end changes nothing",
  async (kind, fields) => {
    const job = await claim({ ...fields, kind });
    const ending = await world.deps.executors[kind](job, {});
    expect(await world.deps.jobs.get(job.id)).toEqual(job);
    expect(ending?.by).toBe(kind === "script" ? "runner" : "executor");
    await endExecutedJob(world.deps, ending);
    const ended = await loadEnded(job.id);
    world.clock.nowMs += 1000;
    await endExecutedJob(world.deps, ending);
    expect(await loadEnded(job.id)).toEqual(ended);
  },
);

describe("the end of a job, whichever of its writes fails, is complete after a repetition:", () => {
  const long = "r".repeat(2000);
  const end = (toEnding: (job: RunningJob) => JobEnding) => async (job: RunningJob) => endExecutedJob(world.deps, toEnding(job));
  const report = (result: unknown) => {
    const { outcome } = success(result) as Extract<ReturnType<typeof success>, { kind: "outcome" }>;
    return { outcome, token: "the token of the attempt" };
  };
  const cancel = { by: "ann", reason: "" };
  const cached = { fields: { cachedFrom: "earlier", result: code(long), logChars: 14 }, stream: "WM_STREAM: ab\n" };

  it.each<[string, { end: (job: RunningJob) => Promise<unknown>; state: string; result: unknown; log: string }]>([
    [
      "an end that the executor has decided",
      {
        end: end((job) => decideEnd(job, { state: "succeeded", resultJson: JSON.stringify(long), log: "built\n" })),
        ...{ state: "succeeded", result: long, log: "built\n" },
      },
    ],
    [
      "a report with a result that fits one item with its output",
      { end: end((job) => ({ by: "runner", job, report: report(long) })), state: "succeeded", result: long, log: "a line\n" },
    ],
    [
      "a report with a result that S3 holds",
      {
        end: end((job) => ({ by: "runner", job, report: report(long.repeat(8)) })),
        ...{ state: "succeeded", result: long.repeat(8), log: "a line\n" },
      },
    ],
    [
      "a cancellation",
      {
        end: end((job) => decideEnd(job, canceledEnding(cancel), { cancel })),
        ...{ state: "canceled", result: { error: { name: "Canceled", message: "Canceled by ann" } }, log: "" },
      },
    ],
    [
      "the result and the stream of an earlier run",
      { end: end((job) => ({ by: "earlierRun", job, cached })), state: "succeeded", result: long, log: cached.stream },
    ],
    [
      "the value of a step as the result of its flow",
      {
        end: (job) => endJobWithValue(world.deps, job, "failed", { jobId: "step", location: code(long) }),
        ...{ state: "failed", result: long, log: "" },
      },
    ],
  ])("%s", async (_, { end: act, state, result, log }) => {
    const writes = await expectToSurviveFaults(async () => {
      const job = await claim({ cacheKey: "cache#end", cacheTtlS: 60 });
      return {
        act: () => act(job),
        recover: () => act(job),
        check: async () => {
          const ended = await loadEnded(job.id);
          expect(ended.state).toBe(state);
          expect(JSON.parse(await loadValue(world.deps, ended, ended.result))).toEqual(result);
          expect(await loadLogs(world.deps, ended)).toBe(log);
        },
      };
    });
    expect(writes).toBeGreaterThan(0);
  });
});
