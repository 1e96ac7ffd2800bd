import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../../contract/limits.ts";
import type { Job } from "../../../core/jobs/record/job.ts";
import { registerTelemetry } from "../../../core/telemetry/telemetry.ts";
import { newWorld, type World } from "../../../test/support/use-cases/world.ts";
import { addFlow, playExecutions, startFlow } from "../../../test/support/use-cases/world-flows.ts";
import { addWorkspace, passTime } from "../../../test/support/use-cases/world-jobs.ts";
import { claimJob } from "../../jobs/lifecycle/claim.ts";
import { loadValue } from "../../jobs/values/values.ts";
import { handleDeadLetter } from "./handle-dead-letter.ts";

const counted: string[] = [];
const count = (outcome: string, times: number, kind: string | undefined) =>
  void counted.push(...Array<string>(times).fill(kind ? `${outcome} ${kind}` : outcome));
beforeAll(() => registerTelemetry({ failure: () => undefined, count }));
beforeEach(() => void counted.splice(0));
afterAll(() => registerTelemetry({ failure: () => undefined, count: () => undefined }));

/**
 * A flow that waits for a nested flow, whose job is queued with an unhandled message. Its execution has been lost the maximum number of times.
 */
async function waitingFlow(): Promise<{ world: World; run: string; nested: Job }> {
  const world = await newWorld();
  const { deps, started } = world;
  await addWorkspace(world);
  await addFlow(world, "f/t/inner", [{ id: "b", value: { type: "identity" } }]);
  const run = await startFlow(world, [{ id: "sub", value: { type: "flow", path: "f/t/inner", input_transforms: {} } }]);
  await playExecutions(world);
  expect(started).toHaveLength(1);
  for (const { job } of await world.messages()) {
    const nested = await deps.jobs.update(job, { losses: limits.maxAttempts }, { attr: "parent", eq: run });
    if (nested) return { world, run, nested };
  }
  throw new Error("The flow sent no message of a nested flow.");
}

async function errorOf({ deps }: World, run: string): Promise<unknown> {
  const job = await deps.jobs.get(run);
  if (job?.state !== "failed") throw new Error(`The flow's job is ${job?.state}.`);
  return JSON.parse(await loadValue(deps, job, job.result));
}

describe("a flow that waits for a nested flow", () => {
  it("continues at once when a dead letter ends the nested flow", async () => {
    const { world, run, nested } = await waitingFlow();
    expect(await handleDeadLetter(world.deps, { job: nested.id })).toBe("failed");
    expect(world.resumed).toHaveLength(1);
    await playExecutions(world);
    expect(JSON.stringify(await errorOf(world, run))).toContain("NotStarted");
    expect(counted.filter((outcome) => outcome === "DeadLetters" || outcome.startsWith("Jobs")).sort()).toEqual([
      "DeadLetters",
      "JobsFailed flow",
      "JobsFailed flowpreview",
    ]);
  });

  it("continues when the dead letter is delivered again because a listener failed", async () => {
    const { world, run, nested } = await waitingFlow();
    const { deps } = world;
    const failing = { ...deps, onJobEnded: [async () => Promise.reject(new Error("The listener failed."))] };
    await expect(handleDeadLetter(failing, { job: nested.id })).rejects.toThrow("The listener failed.");
    expect(world.resumed).toEqual([]);
    expect(await handleDeadLetter(deps, { job: nested.id })).toBe("nothing");
    await playExecutions(world);
    expect(JSON.stringify(await errorOf(world, run))).toContain("NotStarted");
  });

  it("continues when housekeeping ends the nested flow because its worker was lost", async () => {
    const { world, run, nested } = await waitingFlow();
    if (!(await claimJob(world.deps, nested.id))) throw new Error("The nested flow could not be claimed.");
    await passTime(world, 1);
    expect(world.resumed).toHaveLength(1);
    await playExecutions(world);
    expect(JSON.stringify(await errorOf(world, run))).toContain("WorkerLost");
    expect(counted).toContain("JobsFailed flow");
  });
});
