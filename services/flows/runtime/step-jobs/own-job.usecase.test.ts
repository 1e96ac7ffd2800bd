import { beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../../../contract/limits.ts";
import { hasEnded, type Job } from "../../../../core/jobs/record/job.ts";
import { scriptHeadObject } from "../../../../core/scripts/version.ts";
import { anEndedJob } from "../../../../test/builders/jobs.ts";
import { echo, nested, step } from "../../../../test/support/use-cases/cases/flow-modules.ts";
import {
  addFlow,
  approveGate,
  endOfFlow,
  type FlowWorld,
  gates,
  newFlowWorld,
  playExecutions,
  startFlow,
} from "../../../../test/support/use-cases/world-flows.ts";
import { addScript } from "../../../../test/support/use-cases/world-jobs.ts";
import { eraseJob } from "../../../jobs/erasure/erase-job.ts";
import { computeStepJobId } from "../step-job-id.ts";

let world: FlowWorld;
beforeAll(async () => {
  world = await newFlowWorld();
  await addFlow(world, "f/t/inner", [step("x")]);
  const { build, ...value } = await addScript(world, { path: "f/t/limited", concurrency: { limit: 1 } });
  await world.deps.objects.put({ ...scriptHeadObject.key(world.workspace, value.path), value, build });
});

/** An ended job with the id of a step's job, which the flow did not create. */
async function plantJob(flow: string, module: string, fields: Partial<Job> = {}): Promise<string> {
  const id = computeStepJobId(flow, module, "", "", 0);
  const { clock, deps, workspace } = world;
  const expiresAtMs = clock.nowMs + limits.jobRetentionMs;
  const job = anEndedJob({ id, workspace, expiresAtMs, result: { in: "head", json: '"planted"' }, ...(fields as object) });
  expect(await deps.jobs.create(job, undefined)).toBe(true);
  return id;
}

const limited = { id: "a", value: { type: "script", path: "f/t/limited", input_transforms: {} } };

describe("a job with the id of a step's job", () => {
  const place = (flow: string) => ({ parent: flow, root: flow, step: { id: "a", scope: "", path: "" } });
  const planted: [string, (flow: string) => object][] = [
    ["that no flow created", (flow) => ({ parent: flow, root: flow })],
    ["of another workspace", (flow) => ({ ...place(flow), workspace: "other" })],
    ["of another root", (flow) => ({ ...place(flow), root: "another" })],
    ["of another parent", (flow) => ({ ...place(flow), parent: "another" })],
    ["of another module", (flow) => ({ ...place(flow), step: { id: "b", scope: "", path: "" } })],
    ["of another iteration", (flow) => ({ ...place(flow), step: { id: "a", scope: "", path: "1." } })],
  ];
  it.each(planted)("%s fails the flow, whatever the step tolerates", async (_, fields) => {
    for (const module of [echo("a", "1"), nested("a", "f/t/inner"), limited]) {
      const flow = await startFlow(world, [{ ...module, continue_on_error: true }, echo("b", "2")]);
      const id = await plantJob(flow, "a", fields(flow));
      await playExecutions(world);
      expect(await endOfFlow(world, flow)).toMatchObject({
        state: "failed",
        result: { error: { name: "ForeignStepJob", message: expect.stringContaining(id) } },
      });
    }
  });
});

describe("the erasure of a job", () => {
  it.each([
    ["of the step that waits", echo("a", "1")],
    ["with the id of a gate without a job", { id: "a", value: { type: "identity" } }],
  ])("%s leaves the gate and its approvals until the flow has ended", async (_, module) => {
    const { deps } = world;
    const flow = await startFlow(world, [{ ...module, suspend: { required_events: 2, timeout: 1000 } }, echo("b", "resumes")]);
    await playExecutions(world);
    const [gate] = await gates(world, flow);
    if (!gate) throw new Error("The gate has not opened.");
    await approveGate(world, gate, "p".repeat(20_000), { resumeId: 1 });
    if (!(await deps.jobs.get(gate.id))) await plantJob(flow, "a");
    const erase = async (id: string) => {
      const job = await deps.jobs.get(id);
      if (!job || !hasEnded(job)) throw new Error("The job has not ended.");
      await eraseJob(deps, job);
    };
    await erase(gate.id);
    const [kept] = await gates(world, flow);
    expect(kept).toMatchObject({ id: gate.id, events: [{ resumeId: 1 }] });
    await approveGate(world, kept ?? gate, 2, { resumeId: 2 });
    await playExecutions(world);
    expect(await endOfFlow(world, flow)).toMatchObject({ state: "succeeded", result: ["p".repeat(20_000), 2] });
    await erase(flow);
    expect(await gates(world, flow)).toEqual([]);
  });
});
