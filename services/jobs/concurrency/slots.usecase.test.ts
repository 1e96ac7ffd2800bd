import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { canceledEnding } from "../../../core/jobs/record/lifecycle.ts";
import type { Runnable } from "../../../core/scripts/version.ts";
import { toConcurrencyRule } from "../../../core/scripts/version.ts";
import type { Invocation } from "../../../ports/functions.ts";
import type { RunOutcome } from "../../../runners/protocol.ts";
import { success, type World } from "../../../test/support/use-cases/world.ts";
import { addScript, LEASE_OVER_MS, newScriptWorld, resumeDue } from "../../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../../test/support/use-cases/world-people.ts";
import { handleJobMessage } from "../../execution/handle-job-message.ts";
import { requestVersion } from "../../execution/requests/run-request.ts";
import { startRun } from "../../execution/requests/start-run.ts";
import { cancelJob } from "../cancel/cancel-job.ts";
import { endJob } from "../lifecycle/end/end-job.ts";

interface Run {
  job: string;
  n: unknown;
  tag: unknown;
  end: (invocation: Invocation) => void;
}

let world: World;
/** The runs that continue until the test ends them. */
let running: Run[] = [];
const handling = new Map<string, Promise<unknown>[]>();
const events: { tag: unknown; text: string }[] = [];
let noteStart: (job: string) => void = () => {};

beforeAll(async () => {
  ({ world } = await newScriptWorld());
  world.answers.run = ({ job, args }) =>
    new Promise((resolve) => {
      const { n, tag } = args as { n: number; tag: string };
      events.push({ tag, text: `begun ${n}` });
      const end = (invocation: Invocation) => {
        events.push({ tag, text: `ended ${n}` });
        resolve(invocation);
      };
      running.push({ job, n, tag, end });
      noteStart(job);
    });
});

type Limit = Parameters<typeof toConcurrencyRule>[0] & { limit: number };
const aScript = ({ limit, ...rule }: Limit, path = `f/ops/${randomUUID()}`) =>
  addScript(world, { path, params: null, concurrency: toConcurrencyRule(rule, limit, path) });

/** Starts a run, which is created after all others. */
async function start(version: Runnable, n: number, tag = version.path): Promise<string> {
  world.clock.nowMs += 1;
  const request = requestVersion(
    { target: { kind: "script", version }, arguments: { args: { tag, n }, files: [], wrapped: false } },
    { actor: anAdmin, workspace: world.workspace },
  );
  const { id } = await startRun(world.deps, request);
  await settle();
  return id;
}

/** Handles all messages, each in its own worker, until each job has begun that may begin. */
async function settle(): Promise<void> {
  for (let messages = await world.messages(); messages.length > 0; messages = await world.messages())
    await Promise.all(messages.map(handle));
}

async function handle(message: { job: string }): Promise<void> {
  const begun = Promise.withResolvers<void>();
  const before = noteStart;
  noteStart = (job) => (job === message.job ? begun.resolve() : before(job));
  const handled = handleJobMessage(world.deps, message);
  handling.set(message.job, [...(handling.get(message.job) ?? []), handled]);
  await Promise.race([handled, begun.promise]);
}

/** Ends the current run of a job, and lets the others continue. */
async function end(job: string, invocation = success(1)): Promise<void> {
  const ended = running.filter((run) => run.job === job);
  running = running.filter((run) => run.job !== job);
  for (const run of ended) run.end(invocation);
  await Promise.all(handling.get(job) ?? []);
  await settle();
}

/** Simulates the death of a job's worker and runner, after which no process reports the end of the run. */
const loseRun = (job: string) => {
  running = running.filter((run) => run.job !== job);
  handling.delete(job);
};

/** Ends all runs, and those that begin then. */
async function endAll(): Promise<void> {
  for (let [run] = running; run; [run] = running) await end(run.job);
}

async function passTime(ms: number): Promise<void> {
  world.clock.nowMs += ms;
  await resumeDue(world);
  await settle();
}

const load = async (id: string) => (await world.deps.jobs.get(id)) ?? expect.fail("The job's record is gone.");
const statesOf = async (ids: string[]) => (await Promise.all(ids.map(load))).map(({ state }) => state);
const groupOf = async (id: string) => (await load(id)).concurrency?.group;
const cancel = async (id: string, force = false) => {
  await cancelJob(world.deps, await load(id), { by: "ann", reason: "", force });
  await settle();
};
const eventsOf = (tag: string) => events.flatMap((event) => (event.tag === tag ? [event.text] : []));
/** The response of a runner that was ordered to stop. */
const killed = { ...success(null), outcome: { outcome: "killed", logs: { offset: 0, text: "" }, timings: { totalMs: 5 } } as RunOutcome };

describe("a concurrent_limit", () => {
  it("the limit is used fully and never exceeded", async () => {
    const script = await aScript({ limit: 3 });
    const ids = [];
    for (const n of [1, 2, 3, 4]) ids.push(await start(script, n));
    expect(eventsOf(script.path)).toEqual(["begun 1", "begun 2", "begun 3"]);
    await end(ids[1] ?? "");
    expect(eventsOf(script.path).slice(3)).toEqual(["ended 2", "begun 4"]);
    await endAll();
    expect(await statesOf(ids)).toEqual(ids.map(() => "succeeded"));
  });

  it("waiting jobs run in the order of their creation", async () => {
    const script = await aScript({ limit: 1 });
    const ids = [];
    for (let n = 0; n <= 6; n += 1) ids.push(await start(script, n));
    await endAll();
    expect(eventsOf(script.path)).toEqual(ids.flatMap((_, n) => [`begun ${n}`, `ended ${n}`]));
  });

  it("runs with one concurrency_key wait for each other, and runs with another key do not", async () => {
    const script = await aScript({ limit: 1, concurrency_key: "customer $args[tag] of $workspace" });
    const [first, other, behind] = [await start(script, 1, "ann"), await start(script, 1, "bob"), await start(script, 2, "ann")];
    expect([eventsOf("ann"), eventsOf("bob")]).toEqual([["begun 1"], ["begun 1"]]);
    await endAll();
    expect(eventsOf("ann")).toEqual(["begun 1", "ended 1", "begun 2", "ended 2"]);
    expect(await groupOf(first)).toBe(await groupOf(behind));
    expect(await groupOf(first)).not.toBe(await groupOf(other));
  });

  it("two scripts with one key share the limit", async () => {
    const [left, right] = [
      await aScript({ limit: 1, concurrency_key: "the printer" }),
      await aScript({ limit: 1, concurrency_key: "the printer" }),
    ];
    await start(left, 1, "printer");
    await start(right, 2, "printer");
    await endAll();
    expect(eventsOf("printer")).toEqual(["begun 1", "ended 1", "begun 2", "ended 2"]);
  });

  it("the limit of a new version applies to its own runs, and waiting jobs retain their limit and position", async () => {
    const old = await aScript({ limit: 1 });
    const [first, second] = [await start(old, 1), await start(old, 2)];
    await start(await aScript({ limit: 2 }, old.path), 3);
    expect(eventsOf(old.path)).toEqual(["begun 1"]);
    await end(first);
    // The second job has its limit of one, and the third one may run beside it.
    expect(eventsOf(old.path)).toEqual(["begun 1", "ended 1", "begun 2", "begun 3"]);
    await end(second);
    await endAll();
    expect(eventsOf(old.path).toSorted()).toEqual(["begun 1", "begun 2", "begun 3", "ended 1", "ended 2", "ended 3"]);
  });
});

describe("a slot", () => {
  it("the slot of a canceled run goes to the next job, and a job that is canceled while it waits is skipped", async () => {
    const script = await aScript({ limit: 1 });
    const [first, second, third] = [await start(script, 1), await start(script, 2), await start(script, 3)];
    await cancel(second);
    expect(await load(second)).toMatchObject({ state: "canceled" });
    await cancel(first);
    await end(first, killed);
    await end(third);
    expect(await statesOf([first, second, third])).toEqual(["canceled", "canceled", "succeeded"]);
    expect(eventsOf(script.path)).toEqual(["begun 1", "ended 1", "begun 3", "ended 3"]);
  });

  it("the slot of a run that was canceled by force is free at once", async () => {
    const script = await aScript({ limit: 1 });
    const [first, second] = [await start(script, 1), await start(script, 2)];
    await cancel(first, true);
    expect(eventsOf(script.path)).toEqual(["begun 1", "begun 2"]);
    await end(second);
    expect(await statesOf([first, second])).toEqual(["canceled", "succeeded"]);
    await endAll();
  });

  it("a job whose message arrives several times takes one slot", async () => {
    const script = await aScript({ limit: 2 });
    const [first, second, third] = [await start(script, 1), await start(script, 2), await start(script, 3)];
    const again = async (id: string) => world.deps.queue.sendMessage(await load(id), 0);
    await Promise.all([first, first, second, third, third].map(again));
    await settle();
    expect(eventsOf(script.path)).toEqual(["begun 1", "begun 2"]);
    await endAll();
    // A message about an ended job frees nothing a second time.
    await Promise.all([first, second, third].map(again));
    await settle();
    for (const n of [4, 5, 6]) await start(script, n);
    expect(eventsOf(script.path).slice(-2)).toEqual(["begun 4", "begun 5"]);
    await endAll();
    expect(eventsOf(script.path).filter((text) => text.startsWith("begun"))).toEqual([1, 2, 3, 4, 5, 6].map((n) => `begun ${n}`));
  });

  it("the slot of a lost run goes to a waiting job", async () => {
    const script = await aScript({ limit: 1 });
    const [first, second] = [await start(script, 1), await start(script, 2)];
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      expect(eventsOf(script.path)).toEqual(Array.from({ length: attempt }, () => "begun 1"));
      loseRun(first);
      await passTime(LEASE_OVER_MS);
    }
    expect(await load(first)).toMatchObject({ state: "failed" });
    await end(second);
    expect(await load(second)).toMatchObject({ state: "succeeded" });
  });

  it("housekeeping frees a slot whose holder died right after it had ended the job", async () => {
    const script = await aScript({ limit: 1 });
    const [first, second] = [await start(script, 1), await start(script, 2)];
    const job = await load(first);
    if (job.state !== "running") throw new Error(`The job is ${job.state}.`);
    await endJob(world.deps, job, canceledEnding({ by: "ann", reason: "" }));
    // The message that the function would have handled next is lost.
    await world.messages();
    loseRun(first);
    expect(eventsOf(script.path)).toEqual(["begun 1"]);
    await passTime(61_000);
    await end(second);
    expect(await load(second)).toMatchObject({ state: "succeeded" });
  });
});
