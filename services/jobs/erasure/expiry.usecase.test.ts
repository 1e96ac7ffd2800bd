import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { limits } from "../../../contract/limits.ts";
import { hasEnded, type Job } from "../../../core/jobs/record/job.ts";
import { addExpiry, listStored, passDays } from "../../../test/support/use-cases/cases/expiry.ts";
import { echo, nested } from "../../../test/support/use-cases/cases/flow-modules.ts";
import { success } from "../../../test/support/use-cases/world.ts";
import {
  addFlow,
  approveGate,
  endOfFlow,
  type FlowWorld,
  gates,
  newFlowWorld,
  playExecutions,
} from "../../../test/support/use-cases/world-flows.ts";
import { addScript, resumeDue, work } from "../../../test/support/use-cases/world-jobs.ts";
import { handleJobMessage } from "../../execution/handle-job-message.ts";
import { restartFlow } from "../../flows/lifecycle/restart.ts";
import { enqueueJob, type NewJob } from "../queue/enqueue.ts";
import { loadLogs, loadValue } from "../values/values.ts";
import { removeExpiredJob } from "./remove-expired-job.ts";

const actor = { kind: "person", username: "ann", email: "ann@example.com", superAdmin: true } as NewJob["actor"];
const LARGE = "l".repeat(20_000);
const MIDDLE = "m".repeat(2000);

let world: FlowWorld;
beforeEach(async () => {
  world = await newFlowWorld();
  await addExpiry(world);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

async function load(id: string): Promise<Job> {
  const job = await world.deps.jobs.get(id);
  if (!job) throw new Error(`The job ${id} is gone.`);
  return job;
}

/** Reads everything that a job stores. Throws if any of it is gone. */
async function readAll(id: string): Promise<{ args: unknown; result: unknown; logs: string }> {
  const job = await load(id);
  const read = async (location: Job["args"]) => JSON.parse(await loadValue(world.deps, job, location)) as unknown;
  return { args: await read(job.args), result: hasEnded(job) ? await read(job.result) : undefined, logs: await loadLogs(world.deps, job) };
}

const startFlow = (modules: object[], args: Record<string, unknown>) =>
  enqueueJob(world.deps, {
    ...{ actor, workspace: world.workspace, kind: "flowpreview", code: { flow: { modules } }, args, tag: "flow" },
    timeoutS: limits.flowTimeoutS,
  }).then(async ({ id }) => {
    await handleJobMessage(world.deps, { job: id });
    return id;
  });

const startScript = (fields: Partial<NewJob>) =>
  enqueueJob(world.deps, { actor, workspace: world.workspace, kind: "script", language: "bun", timeoutS: 60, args: {}, ...fields });

describe("the data of a job", () => {
  it("exists while its flow waits for 200 days, and is gone 32 days after its end", async () => {
    await addFlow(world, "f/t/inner", [echo("x", "flow_input.text")]);
    const wait = { suspend: { required_events: 1, timeout: 250 * 24 * 3600 } };
    const modules = [
      echo("large", "flow_input.text"),
      echo("middle", `'${MIDDLE}'`),
      nested("sub", "f/t/inner", { text: "flow_input.text" }),
      echo("asked", "1", wait),
      echo("last", "[results.large, results.middle, results.sub, flow_input.text, resume]"),
    ];
    const flow = await startFlow(modules, { text: LARGE });
    for (let round = 0; round < 4; round += 1) {
      await playExecutions(world);
      await work(world);
    }
    const [gate] = await gates(world, flow);
    if (!gate) throw new Error("The gate has not opened.");
    for (let day = 0; day < 200; day += 20) expect(await passDays(world, 20)).toBe(0);
    await approveGate(world, gate, LARGE);
    await playExecutions(world);
    const end = { state: "succeeded", result: [LARGE, MIDDLE, LARGE, LARGE, LARGE] };
    expect(await endOfFlow(world, flow)).toEqual(end);
    const steps = await world.deps.jobs.list({ index: "parent", partition: flow, limit: 100 });
    expect(steps.entries).toHaveLength(5);
    const ids = [flow, ...steps.entries.map(({ id }) => id)];
    await passDays(world, 29.9);
    for (const id of ids) await readAll(id);
    expect(await endOfFlow(world, flow)).toEqual(end);
    // The flow's own record expires, then those of its steps and of the steps of its nested flow.
    expect(await passDays(world, 0.2)).toBe(1);
    expect(await passDays(world, 0.5)).toBe(6);
    expect(await listStored()).toEqual([]);
  });

  it("of a run exists as long as a restarted flow uses its results, and is removed with that flow", async () => {
    const wait = { suspend: { required_events: 1, timeout: 250 * 24 * 3600 } };
    const origin = await startFlow([echo("large", "flow_input.text"), echo("asked", "1", wait), echo("last", "results.large")], {
      text: LARGE,
    });
    await playExecutions(world);
    const openGate = async (flow: string) => {
      const [gate] = await gates(world, flow);
      return gate ?? expect.fail("The gate has not opened.");
    };
    await approveGate(world, await openGate(origin), 1, { approved: false });
    await playExecutions(world);
    await passDays(world, 20);
    const restart = async () => {
      const request = { step_id: "asked" };
      const { id } = await restartFlow(world.deps, actor, await load(origin), { request, fields: {} });
      await work(world);
      await playExecutions(world);
      return id;
    };
    const [first, second] = [await restart(), await restart()];
    await passDays(world, 50);
    await passDays(world, 50);
    await approveGate(world, await openGate(first));
    await playExecutions(world);
    expect(await endOfFlow(world, first)).toEqual({ state: "succeeded", result: LARGE });
    await passDays(world, 40);
    await approveGate(world, await openGate(second));
    await playExecutions(world);
    expect(await endOfFlow(world, second)).toEqual({ state: "succeeded", result: LARGE });
    await passDays(world, 29.9);
    await readAll(origin);
    for (let round = 0; round < 4; round += 1) await passDays(world, 0.5);
    expect(await listStored()).toEqual([]);
  });

  it("exists when it starts 300 days after its creation, and is gone 31 days after its end", async () => {
    const { hash } = await addScript(world, { path: "f/ops/later" });
    world.answers.run = async () => success(LARGE, LARGE);
    const scheduledForMs = world.clock.nowMs + 300 * 24 * 3600 * 1000;
    const { id } = await startScript({ hash, path: "f/ops/later", args: { text: LARGE }, scheduledForMs });
    for (let day = 0; day < 300; day += 30) await passDays(world, 30);
    await handleJobMessage(world.deps, { job: id, hash });
    expect(world.runs.at(-1)?.args).toEqual({ text: LARGE });
    await passDays(world, 29.9);
    expect(await readAll(id)).toEqual({ args: { text: LARGE }, result: LARGE, logs: LARGE });
    expect(await passDays(world, 0.2)).toBe(1);
    expect(await listStored()).toEqual([]);
  });

  it.each([MIDDLE, LARGE])("of an ordinary script is removed within 32 days without a call of the service", async (text) => {
    const { hash } = await addScript(world, { path: "f/ops/now" });
    world.answers.run = async () => success(text, text);
    const { id } = await startScript({ hash, path: "f/ops/now", args: { text } });
    await handleJobMessage(world.deps, { job: id, hash });
    const job = await load(id);
    expect(job.expiresAtMs - (hasEnded(job) ? job.endedAtMs : 0)).toBeLessThanOrEqual(limits.jobRetentionMs + 1000);
    await passDays(world, 29.9);
    expect(await readAll(id)).toEqual({ args: { text }, result: text, logs: text });
    expect(await passDays(world, 0.2)).toBe(0);
    expect(await world.deps.jobs.get(id)).toBeUndefined();
    expect(await passDays(world, 1.9)).toBe(0);
    expect(await listStored()).toEqual([]);
  });

  it.each([MIDDLE, LARGE])(
    "of a script that waits for 100 days in the queue exists when it runs, and is removed after its end",
    async (text) => {
      const { hash } = await addScript(world, { path: "f/ops/waits" });
      world.answers.run = async () => success(text, text);
      const { id } = await startScript({ hash, path: "f/ops/waits", args: { text } });
      await passDays(world, 0.6);
      // Two ticks at the same time change it once.
      await Promise.all([resumeDue(world), resumeDue(world)]);
      expect(await load(id)).toMatchObject({ retention: "long", state: "queued" });
      for (let day = 0; day < 100; day += 20) await passDays(world, 20);
      await resumeDue(world);
      await handleJobMessage(world.deps, { job: id, hash });
      await passDays(world, 29.9);
      expect(await readAll(id)).toEqual({ args: { text }, result: text, logs: text });
      expect(await passDays(world, 0.2)).toBe(1);
      expect(await listStored()).toEqual([]);
    },
  );

  it("is not removed for the expired record of an earlier job with its id", async () => {
    const { hash } = await addScript(world, { path: "f/ops/again" });
    const id = randomUUID();
    await startScript({ id, hash, path: "f/ops/again", args: { text: MIDDLE } });
    await removeExpiredJob(world.deps, { id, workspace: world.workspace, retention: "long", kind: "script" });
    expect(await readAll(id)).toMatchObject({ args: { text: MIDDLE } });
  });
});
