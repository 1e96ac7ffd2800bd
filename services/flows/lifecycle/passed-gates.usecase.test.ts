import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import type { Restart } from "../../../contract/routes/flows/flow-runs.ts";
import { flowHeadObject, flowVersionObject, versionTimeMs } from "../../../core/flows/version.ts";
import { hasEnded, type Job } from "../../../core/jobs/record/job.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { personKey, userObject } from "../../../core/people/person.ts";
import { scriptBodyObject, scriptHeadObject } from "../../../core/scripts/version.ts";
import { Cloud } from "../../../test/support/use-cases/aws/cloud.ts";
import { all, each, nested, one } from "../../../test/support/use-cases/cases/flow-modules.ts";
import {
  addFlow,
  approveGate,
  type FlowWorld,
  gates,
  newFlowWorld,
  playExecutions,
  startFlow,
} from "../../../test/support/use-cases/world-flows.ts";
import { addJob, addScript, work } from "../../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../../test/support/use-cases/world-people.ts";
import { handleJobMessage } from "../../execution/handle-job-message.ts";
import { restartFlow } from "./restart.ts";

const asks = { id: "ask", value: { type: "identity" }, suspend: { required_events: 1, timeout: 100_000 } };
const plain = (id: string) => ({ id, value: { type: "identity" } });
const failing = { id: "fails", value: { type: "script", path: "f/ops/none" } };
const another: Actor = { ...anAdmin, email: "kim@example.com", username: "kim" };

let world: FlowWorld;
beforeAll(async () => {
  world = await newFlowWorld();
  const { email, username } = another;
  const person = { email, username, superAdmin: true, createdAtMs: world.clock.nowMs };
  await world.deps.objects.put({ ...userObject.key(personKey(email)), value: person });
});

/** Runs a flow and approves each of its gates, until it ends. */
async function play(id: string): Promise<Job> {
  for (let round = 0; round < 8; round += 1) {
    await work(world);
    await playExecutions(world);
    for (const gate of await gates(world, id)) if (!gate.decision) await approveGate(world, gate);
  }
  const job = await world.deps.jobs.get(id);
  if (!job || job.state === "running" || job.state === "queued") throw new Error(`The flow is ${job?.state}.`);
  return job;
}

/** Restarts a run, and returns the number of gates that opened in it. */
async function countAsked(origin: Job, request: Restart, actor: Actor = anAdmin): Promise<number> {
  const { id } = await restartFlow(world.deps, actor, origin, { request, fields: { id: randomUUID() } });
  await work(world);
  await playExecutions(world);
  await work(world);
  await playExecutions(world);
  return (await gates(world, id)).length;
}

/** Runs a flow of any shape and approves each of its gates, until it ends. */
async function playInCloud(id: string): Promise<Job> {
  const cloud = new Cloud(world);
  for (;;) {
    await cloud.playUntilQuiet();
    const job = await world.deps.jobs.get(id);
    if (job && hasEnded(job)) return job;
    const open = (await gates(world, id)).filter(({ decision }) => !decision);
    if (open.length === 0) throw new Error(`The flow is ${job?.state}, and nothing moves.`);
    for (const gate of open) await approveGate(world, gate);
  }
}

/** Restarts a run as `actor`, and returns the number of gates that opened in it. */
async function countAskedInCloud(origin: Job, actor: Actor): Promise<number> {
  const { id } = await restartFlow(world.deps, actor, origin, { request: {}, fields: { id: randomUUID() } });
  const restarted = await playInCloud(id);
  expect(restarted.state).toBe("failed");
  return (await gates(world, id)).length;
}

describe("the restart of a run whose gate was passed", () => {
  const failedRun = async () => play(await startFlow(world, [asks, plain("a"), failing]));

  it("keeps the approval if the same person continues the failed run", async () => {
    const origin = await failedRun();
    expect(origin.state).toBe("failed");
    expect(await countAsked(origin, {})).toBe(0);
    expect(await countAsked(origin, { step_id: "a" })).toBe(0);
  });

  it("asks again if another person or a job restarts it", async () => {
    const origin = await failedRun();
    const job: Actor = { ...anAdmin, kind: "job", jobId: randomUUID(), attempt: 1, workspace: world.workspace, permissionedAs: "u/ann" };
    for (const actor of [another, job]) expect(await countAsked(origin, {}, actor)).toBe(1);
  });

  it("asks again if the run had not failed", async () => {
    const origin = await play(await startFlow(world, [asks, plain("a")]));
    expect(origin.state).toBe("succeeded");
    expect(await countAsked(origin, { step_id: "a" })).toBe(1);
  });

  it("asks again if a script behind the gate was saved since the run began", async () => {
    const origin = await play(await startFlow(world, [asks, { id: "b", value: { type: "script", path: "f/t/behind" } }]));
    for (const [sinceMs, asked] of [
      [-1, 0],
      [1, 1],
    ] as const) {
      const { build, ...value } = await addScript(world, { path: "f/t/behind" });
      const json = JSON.stringify({ createdAtMs: origin.createdAtMs + sinceMs });
      await world.deps.objects.put({ ...scriptHeadObject.key(world.workspace, value.path), value, build });
      await world.deps.objects.put({ ...scriptBodyObject.key(world.workspace, value.hash), value: { json } });
      expect(await countAsked(origin, { step_id: "b" })).toBe(asked);
    }
  });

  const containers: [string, object][] = [
    ["a step", asks],
    ["a loop", each("l", "[0]", [asks])],
    ["a branch", one("o", "true", [asks])],
    ["parallel branches", all("o", [[asks], [plain("x")]], { parallel: true })],
    ["a nested flow", nested("n", "f/t/gated")],
    ["a nested flow of a loop", each("l", "[0]", [nested("n", "f/t/gated")])],
    ["a nested flow of a nested flow", nested("n", "f/t/outer")],
  ];

  it.each(containers)("keeps the approval of %s for the same person, and asks everyone else again", async (_title, module) => {
    await addFlow(world, "f/t/gated", [asks]);
    await addFlow(world, "f/t/outer", [nested("inner", "f/t/gated")]);
    // A flow that is saved after the run began counts as changed code.
    world.clock.nowMs += 3_600_000;
    const origin = await playInCloud(await startFlow(world, [module, failing]));
    expect([origin.state, (await gates(world, origin.id)).length]).toEqual(["failed", 1]);
    expect(await countAskedInCloud(origin, anAdmin)).toBe(0);
    expect(await countAskedInCloud(origin, another)).toBe(1);
  });

  it.each(containers)("asks again for an approval of %s that an earlier restart kept", async (_title, module) => {
    await addFlow(world, "f/t/gated", [asks]);
    await addFlow(world, "f/t/outer", [nested("inner", "f/t/gated")]);
    world.clock.nowMs += 3_600_000;
    const origin = await playInCloud(await startFlow(world, [module, failing]));
    const { id } = await restartFlow(world.deps, anAdmin, origin, { request: {}, fields: { id: randomUUID() } });
    const second = await playInCloud(id);
    expect([second.state, (await gates(world, id)).length]).toEqual(["failed", 0]);
    expect(await countAskedInCloud(second, another)).toBe(1);
  });

  it("always asks again with flow_version, even if that version added the approval", async () => {
    const path = "f/t/versioned";
    const versionOf = async (modules: object[]) => {
      await addFlow(world, path, modules);
      const head = await world.deps.objects.get(flowHeadObject.key(world.workspace, path));
      return ((head?.value ?? {}) as { version: number }).version;
    };
    const start = async (version: number) => {
      const { id } = await addJob(world, {
        id: randomUUID(),
        kind: "flow",
        path,
        hash: "1",
        flow: { version, execution: 0 },
        timeoutS: 3600,
      });
      await handleJobMessage(world.deps, { job: id });
      return play(id);
    };
    const asking = await versionOf([asks, failing]);
    expect(versionTimeMs(asking)).toBeLessThan(world.clock.nowMs);
    expect(await countAsked(await start(asking), { flow_version: asking })).toBe(1);
    const bare = await versionOf([plain("ask"), failing]);
    expect(await countAsked(await start(bare), { flow_version: asking })).toBe(1);
  });
});

describe("the restart of a preview", () => {
  it("refuses flow_version, and never takes the rights or the code of the flow at its path", async () => {
    const path = "f/t/saved";
    await addFlow(world, path, [plain("a"), failing]);
    const head = await world.deps.objects.get(flowHeadObject.key(world.workspace, path));
    const value = { ...((head?.value ?? {}) as { version: number }), onBehalfOf: { email: "boss@example.com", permissionedAs: "u/boss" } };
    if (head) await world.deps.objects.put({ ...flowVersionObject.key(world.workspace, value.version), value, build: head.build });
    const preview = { ...(await play(await startFlow(world, [plain("a"), failing]))), path } as Job;
    const { version } = value;
    await expect(restartFlow(world.deps, anAdmin, preview, { request: { flow_version: version }, fields: {} })).rejects.toMatchObject({
      code: "flow.notRestarted",
    });
    const withVersion = { ...preview, flow: { ...preview.flow, version } } as Job;
    const { id } = await restartFlow(world.deps, anAdmin, withVersion, { request: {}, fields: {} });
    const job = await world.deps.jobs.get(id);
    expect(job).toMatchObject({ kind: "flowpreview", email: "ann@example.com", path });
    expect(job?.flow?.version).toBeUndefined();
    const limited: Actor = { ...another, superAdmin: false };
    const { id: byOther } = await restartFlow(world.deps, limited, preview, { request: {}, fields: {} });
    expect(await world.deps.jobs.get(byOther)).not.toHaveProperty("path");
  });
});
