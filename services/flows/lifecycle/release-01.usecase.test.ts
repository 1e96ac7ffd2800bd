import { randomUUID } from "node:crypto";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { documents } from "../../../aws/sdk/clients.ts";
import { env, requireEnv } from "../../../contract/env.ts";
import { limits } from "../../../contract/limits.ts";
import type { StepState } from "../../../core/flows/step-call.ts";
import { flowHeadObject, flowVersionObject } from "../../../core/flows/version.ts";
import { hasEnded } from "../../../core/jobs/record/job.ts";
import { newWorld, type World } from "../../../test/support/use-cases/world.ts";
import { addFlow, playExecutions, startFlow } from "../../../test/support/use-cases/world-flows.ts";
import { addJob, addWorkspace, housekeep } from "../../../test/support/use-cases/world-jobs.ts";
import { handleJobMessage } from "../../execution/handle-job-message.ts";
import { loadJson } from "../../jobs/values/values.ts";
import { requireNewestFlow } from "../definitions/load.ts";
import { runTask } from "../runtime/run-task.ts";

const identity = (id: string) => ({ id, value: { type: "identity" } });

async function worldWithWorkspace(): Promise<World> {
  const world = await newWorld();
  await addWorkspace(world);
  return world;
}

/** Replaces the flow fields of a job's head with those that release 0.1 wrote. */
async function storeAsRelease01(id: string, flow: { n: number; machine?: string; plan?: string; version?: number }): Promise<void> {
  await documents().send(
    new UpdateCommand({
      TableName: requireEnv(env.jobsTable),
      Key: { pk: id, sk: "job" },
      UpdateExpression: "SET fl = :flow",
      ExpressionAttributeValues: { ":flow": flow },
    }),
  );
}

async function endOf({ deps }: World, id: string) {
  const job = await deps.jobs.get(id);
  if (!job || !hasEnded(job)) throw new Error(`Job ${id} is ${job?.state}.`);
  return { state: job.state, result: await loadJson(deps, job, job.result) };
}

const loadFlowHead = async ({ deps, workspace }: World) =>
  requireNewestFlow(await deps.objects.get(flowHeadObject.key(workspace, "f/ops/flow")), "f/ops/flow");

/** A flow whose first execution release 0.1 has started. */
async function runningSinceRelease01(world: World): Promise<{ run: string; input: StepState }> {
  const run = await startFlow(world, [identity("a"), identity("b")]);
  const { flow } = (await world.deps.jobs.get(run)) ?? {};
  await storeAsRelease01(run, { n: 0, machine: flow?.stateMachine ?? "", plan: flow?.plan ?? "" });
  return { run, input: world.started[0]?.input as StepState };
}

const OUTDATED = {
  state: "failed",
  result: { error: { name: "FlowOutdated", message: expect.stringContaining("Restart the run.") } },
};

describe("a flow that release 0.1 started", () => {
  it("ends with the error FlowOutdated when housekeeping checks it", async () => {
    const world = await worldWithWorkspace();
    const { run } = await runningSinceRelease01(world);
    world.clock.nowMs += limits.flowCheckMs + 60_000;
    await housekeep(world);
    expect(await endOf(world, run)).toMatchObject(OUTDATED);
  });

  it("ends with the error FlowOutdated when its execution finishes", async () => {
    const world = await worldWithWorkspace();
    const { run, input } = await runningSinceRelease01(world);
    await runTask(world.deps, { finish: "flow", state: input });
    expect(await endOf(world, run)).toMatchObject(OUTDATED);
  });

  it("starts and succeeds if it was still in the queue", async () => {
    const world = await worldWithWorkspace();
    await addFlow(world, "f/ops/flow", [identity("a")]);
    const { version } = await loadFlowHead(world);
    const { id } = await addJob(world, {
      id: randomUUID(),
      kind: "flow",
      path: "f/ops/flow",
      hash: undefined,
      language: undefined,
      tag: "flow",
      timeoutS: limits.flowTimeoutS,
      flow: { version, execution: 0 },
      args: { in: "head", json: '{"x":1}' },
    });
    await storeAsRelease01(id, { n: 0, version });
    await handleJobMessage(world.deps, { job: id });
    await playExecutions(world);
    expect(await endOf(world, id)).toEqual({ state: "succeeded", result: { x: 1 } });
  });

  it("runs on a new state machine if release 0.1 built the version and named another one", async () => {
    const world = await worldWithWorkspace();
    await addFlow(world, "f/ops/flow", [identity("a")]);
    const { version, build: ready, ...rest } = await loadFlowHead(world);
    const value = { ...rest, version };
    const build = { ...ready, machine: "m-of-release-01" };
    for (const key of [flowHeadObject.key(world.workspace, "f/ops/flow"), flowVersionObject.key(world.workspace, version)]) {
      await world.deps.objects.put({ ...key, value, version: String(version), build });
    }
    const fields = { kind: "flow" as const, path: "f/ops/flow", hash: undefined, language: undefined, flow: { version, execution: 0 } };
    const { id } = await addJob(world, { ...fields, tag: "flow", timeoutS: limits.flowTimeoutS });
    await handleJobMessage(world.deps, { job: id });
    const [execution] = world.started;
    expect(execution?.machine).toMatch(/^m-[0-9a-f]{8}$/);
    expect((await world.deps.jobs.get(id))?.flow).toMatchObject({ stateMachine: execution?.machine, execution: 0 });
    await playExecutions(world);
    expect(await endOf(world, id)).toMatchObject({ state: "succeeded" });
  });
});
