import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { limits } from "../../contract/limits.ts";
import { hasEnded, type Job } from "../../core/jobs/record/job.ts";
import type { Invocation } from "../../ports/functions.ts";
import { withFault } from "../../test/support/use-cases/failing-writes.ts";
import { success, type World } from "../../test/support/use-cases/world.ts";
import { addJob, LEASE_OVER_MS, newScriptWorld, resumeDue } from "../../test/support/use-cases/world-jobs.ts";
import { claimJob } from "../jobs/lifecycle/claim.ts";
import { handleJobMessage } from "./handle-job-message.ts";
import { recordHeartbeat } from "./heartbeat.ts";
import { invokeRunner } from "./invoke-runner.ts";

let world: World;
let hash: string;
beforeAll(async () => {
  ({ world, hash } = await newScriptWorld());
});
// Only the renewals use an interval. The timers of the AWS clients remain real.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => {
  vi.useRealTimers();
  world.answers.run = async () => success(1);
});

const load = async (id: string): Promise<Job> => (await world.deps.jobs.get(id)) ?? expect.fail();
const leaseOf = (job: Job) => (job.state === "running" ? job.leaseUntilMs : expect.fail(job.state));

/** Advances the clock in steps of a renewal. `renews`: a renewal of this job is expected at each step. */
async function pass(ms: number, id: string, renews = true): Promise<void> {
  for (let passed = 0; passed < ms; passed += limits.executorRenewMs) {
    world.clock.nowMs += limits.executorRenewMs;
    vi.advanceTimersByTime(limits.executorRenewMs);
    if (renews) await until(async () => leaseOf(await load(id)) === world.clock.nowMs + limits.leaseMs);
  }
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await condition()); tries += 1) {
    if (tries > 2000) throw new Error("The condition was not met.");
    await turn();
  }
}

/** Runs a job in one process, whose runner calls `during` and then succeeds. Returns the writes of that process. */
async function run(during: (id: string) => Promise<unknown>, answer: () => Invocation = () => success("done")) {
  const { id } = await addJob(world, { hash, timeoutS: 600 });
  world.answers.run = async () => {
    // The executor begins to wait.
    await turn();
    await during(id);
    return answer();
  };
  const { writes } = await withFault(undefined, () => handleJobMessage(world.deps, { job: id, hash }));
  return { id, writes };
}

describe("while the executor of a run waits,", () => {
  it("the run is not ended even if no heartbeat arrives for minutes", async () => {
    const { id } = await run(async (job) => {
      for (let minute = 0; minute < 5; minute += 1) {
        await pass(60_000, job);
        await resumeDue(world);
      }
    });
    expect(await load(id)).toMatchObject({ state: "succeeded", attempt: 1, losses: 0 });
  });

  it("a run of less than 20 s costs no renewal, and a longer one a write for each 20 s", async () => {
    const short = await run(async () => {
      world.clock.nowMs += 19_000;
      vi.advanceTimersByTime(19_000);
    });
    const long = await run((job) => pass(60_000, job));
    expect(long.writes.length - short.writes.length).toBe(3);
  });

  it("the runner is told how long the executor waits", async () => {
    world.runs.length = 0;
    await run(async () => {});
    expect(world.runs[0]?.executorWaitsMs).toBe(720_000);
    const job = await addJob(world, { hash });
    const running = (await claimJob(world.deps, job.id)) ?? expect.fail();
    const executable = { runner: "bun", artefact: { key: "k", sha256: hash }, dedicated: false } as const;
    await invokeRunner({ ...world.deps, waitsForMs: () => 25_000 }, running, { ...executable, params: [] }, { args: {} });
    expect(world.runs[1]?.executorWaitsMs).toBe(25_000);
  });
});

describe("the lease of a run ends", () => {
  it("when its executor has died, and another attempt follows", async () => {
    const { id } = await addJob(world, { hash });
    let isDead = () => {};
    const death = new Promise<void>((resolve) => {
      isDead = resolve;
    });
    world.answers.run = async () => {
      await turn();
      // The dead process has no timers and never receives the answer of the runner.
      vi.clearAllTimers();
      isDead();
      return new Promise<Invocation>(() => {});
    };
    void handleJobMessage(world.deps, { job: id, hash });
    await death;
    world.clock.nowMs += LEASE_OVER_MS;
    await resumeDue(world);
    expect(await load(id)).toMatchObject({ state: "queued", losses: 1 });
  });

  it("when another attempt owns the job: the earlier executor renews nothing", async () => {
    const { id } = await run(async (job) => {
      await world.deps.jobs.update(job, { nonce: "of another attempt" }, { attr: "state", eq: "running" });
      const before = leaseOf(await load(job));
      await pass(100_000, job, false);
      for (let turns = 0; turns < 50; turns += 1) await turn();
      expect(vi.getTimerCount()).toBe(0);
      expect(leaseOf(await load(job))).toBe(before);
    });
    expect(hasEnded(await load(id))).toBe(false);
  });

  it("when the run was canceled and no heartbeat takes the cancellation to its runner", async () => {
    await run(async (job) => {
      await world.deps.jobs.update(job, { cancel: { by: "ann", reason: "" } }, { attr: "state", eq: "running" });
      await pass(20_000, job);
      await until(() => vi.getTimerCount() === 0);
      await pass(80_000, job, false);
      world.clock.nowMs += LEASE_OVER_MS;
      await resumeDue(world);
      expect(await load(job)).toMatchObject({ state: "canceled" });
    });
  });

  it("when the call takes longer than a run with its overhead can: the runner is lost without an answer", async () => {
    await run(async (job) => {
      await pass(700_000, job);
      await pass(100_000, job, false);
      expect(vi.getTimerCount()).toBe(0);
      await resumeDue(world);
      expect(await load(job)).toMatchObject({ state: "queued", losses: 1 });
    });
  });
});

it("a heartbeat still takes the cancellation to the runner while the executor waits", async () => {
  await run(async (job) => {
    await pass(40_000, job);
    const current = await load(job);
    if (current.state !== "running") throw new Error(current.state);
    await world.deps.jobs.update(job, { cancel: { by: "ann", reason: "enough" } }, { attr: "state", eq: "running" });
    const { attempt, nonce } = current;
    const reply = await recordHeartbeat(world.deps, { id: job, workspace: world.workspace, token: "t" }, { attempt, nonce });
    expect(reply).toMatchObject({ go: "stop", reason: "enough" });
  });
});
