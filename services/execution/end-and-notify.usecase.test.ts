import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import type { Job } from "../../core/jobs/job.ts";
import { registerTelemetry } from "../../core/telemetry/telemetry.ts";
import { newRoom, type Room } from "../../test/support/use-cases/room.ts";
import { addFlow, playExecutions, startFlow } from "../../test/support/use-cases/room-flows.ts";
import { addWorkspace, passTime } from "../../test/support/use-cases/room-jobs.ts";
import { claimJob } from "../jobs/lifecycle/claim.ts";
import { loadValue } from "../jobs/values/values.ts";
import { handleDeadLetter } from "./handle-dead-letter.ts";

const counted: string[] = [];
const count = (outcome: string, times: number, kind: string | undefined) =>
  void counted.push(...Array<string>(times).fill(kind ? `${outcome} ${kind}` : outcome));
beforeAll(() => registerTelemetry({ failure: () => undefined, count }));
beforeEach(() => void counted.splice(0));
afterAll(() => registerTelemetry({ failure: () => undefined, count: () => undefined }));

/** A flow that waits for a nested flow, whose job is queued and whose message nothing has handled. It has been lost as often as it may be. */
async function waitingFlow(): Promise<{ room: Room; run: string; nested: Job }> {
  const room = await newRoom();
  const { deps, started } = room;
  await addWorkspace(room);
  await addFlow(room, "f/t/inner", [{ id: "b", value: { type: "identity" } }]);
  const run = await startFlow(room, [{ id: "sub", value: { type: "flow", path: "f/t/inner", input_transforms: {} } }]);
  await playExecutions(room);
  expect(started).toHaveLength(1);
  for (const { job } of await room.messages()) {
    const nested = await deps.jobs.update(job, { losses: limits.maxAttempts }, { attr: "parent", eq: run });
    if (nested) return { room, run, nested };
  }
  throw new Error("The flow sent no message of a nested flow.");
}

async function errorOf({ deps }: Room, run: string): Promise<unknown> {
  const job = await deps.jobs.get(run);
  if (job?.state !== "failed") throw new Error(`The flow's job is ${job?.state}.`);
  return JSON.parse(await loadValue(deps, job, job.result));
}

describe("a flow that waits for a nested flow", () => {
  it("continues at once when a dead letter ends the nested flow", async () => {
    const { room, run, nested } = await waitingFlow();
    expect(await handleDeadLetter(room.deps, { job: nested.id })).toBe("failed");
    expect(room.resumed).toHaveLength(1);
    await playExecutions(room);
    expect(JSON.stringify(await errorOf(room, run))).toContain("NotStarted");
    expect(counted.filter((outcome) => outcome === "DeadLetters" || outcome.startsWith("Jobs")).sort()).toEqual([
      "DeadLetters",
      "JobsFailed flow",
      "JobsFailed flowpreview",
    ]);
  });

  it("continues when the dead letter is delivered again because a listener failed", async () => {
    const { room, run, nested } = await waitingFlow();
    const { deps } = room;
    const failing = { ...deps, onJobEnded: [async () => Promise.reject(new Error("The listener failed."))] };
    await expect(handleDeadLetter(failing, { job: nested.id })).rejects.toThrow("The listener failed.");
    expect(room.resumed).toEqual([]);
    expect(await handleDeadLetter(deps, { job: nested.id })).toBe("nothing");
    await playExecutions(room);
    expect(JSON.stringify(await errorOf(room, run))).toContain("NotStarted");
  });

  it("continues when housekeeping ends the nested flow because its worker was lost", async () => {
    const { room, run, nested } = await waitingFlow();
    if (!(await claimJob(room.deps, nested.id))) throw new Error("The nested flow could not be claimed.");
    await passTime(room, 1);
    expect(room.resumed).toHaveLength(1);
    await playExecutions(room);
    expect(JSON.stringify(await errorOf(room, run))).toContain("WorkerLost");
    expect(counted).toContain("JobsFailed flow");
  });
});
