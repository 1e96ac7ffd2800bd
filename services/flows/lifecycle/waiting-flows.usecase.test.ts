import { beforeAll, describe, expect, it } from "vitest";
import { SHARDS } from "../../../core/jobs/record/job.ts";
import { runExecution } from "../../../test/support/use-cases/aws/state-machine.ts";
import { nested, sleepS, step } from "../../../test/support/use-cases/cases/flow-modules.ts";
import type { World } from "../../../test/support/use-cases/world.ts";
import { addFlow, gates, newFlowWorld, playExecutions, startFlow } from "../../../test/support/use-cases/world-flows.ts";
import { resumeDue } from "../../../test/support/use-cases/world-jobs.ts";

const DAY_MS = 24 * 3600_000;
const MONTH_MS = 30 * DAY_MS;

let world: World;
let described: string[];
beforeAll(async () => {
  world = await newFlowWorld();
  described = [];
  const { getExecutionStatus } = world.deps.executions;
  world.deps.executions.getExecutionStatus = (execution) => {
    described.push(execution.job);
    return getExecutionStatus(execution);
  };
});

/** Runs housekeeping whenever something is due, for a time. Returns the number of checks, and of DescribeExecution calls for a flow. */
async function passChecks(run: string, lastsMs: number) {
  const untilMs = world.clock.nowMs + lastsMs;
  const from = described.length;
  let checks = 0;
  for (;;) {
    const due = (await Promise.all(Array.from({ length: SHARDS }, (_, shard) => world.deps.jobs.listDue(shard, untilMs, 1)))).flat();
    if (due.length === 0) break;
    checks += 1;
    if (checks > 1000) expect.fail("Housekeeping checks too often.");
    world.clock.nowMs = Math.max(world.clock.nowMs, Math.min(...due.map(({ dueAtMs }) => dueAtMs)));
    await resumeDue(world);
  }
  world.clock.nowMs = untilMs;
  return { checks, describes: described.slice(from).filter((job) => job === run).length };
}
const cancel = async (run: string) => {
  const flow = await world.deps.jobs.get(run);
  for (const listener of world.deps.onJobCanceled) if (flow) await listener(flow, { by: "ann", reason: "" });
  await world.deps.jobs.deleteItem(run, "job");
};
const approvers = ["u/ann"];

describe("housekeeping describes the execution", () => {
  it("of a flow that waits a month for approval once a day, and not at its reminder and its escalation", async () => {
    const times = { remind_after: 100_000, escalate: { after: 200_000, approvers: ["kim@example.com"] }, timeout: 40 * 24 * 3600 };
    const run = await startFlow(world, [{ id: "ask", value: { type: "consentgate", approvers, ...times } }]);
    await playExecutions(world);
    expect(await passChecks(run, MONTH_MS)).toEqual({ checks: 31, describes: 29 });
    const [gate] = await gates(world, run);
    expect([gate?.opened?.remindAtMs, gate?.opened?.escalate, gate?.decision]).toEqual([undefined, undefined, undefined]);
    await cancel(run);
  });

  it("of a flow that waits for less than a day not before the gate expires", async () => {
    const run = await startFlow(world, [{ id: "ask", value: { type: "consentgate", approvers, timeout: 20 * 3600 } }]);
    await playExecutions(world);
    expect(await passChecks(run, 19 * 3600_000)).toEqual({ checks: 0, describes: 0 });
    await passChecks(run, 2 * 3600_000);
    expect((await gates(world, run))[0]?.decision).toMatchObject({ outcome: "expired" });
    await cancel(run);
  });

  /** Runs a flow until its machine waits. */
  async function startSleeping(modules: object[]): Promise<string> {
    const run = await startFlow(world, modules);
    const [execution = expect.fail()] = world.started.filter(({ job }) => job === run);
    const wake = ({ name }: { name: string }) => {
      if (name === "b") throw new Error("The machine waits here.");
    };
    const sleepsAtMs = world.clock.nowMs;
    await expect(runExecution(world, execution, { onEnter: wake })).rejects.toThrow("The machine waits here.");
    // The machine has moved the clock to the end of the sleep.
    world.clock.nowMs = sleepsAtMs;
    return run;
  }

  it("of a flow that sleeps for a month once a day, and of one that sleeps for less than a day not before it wakes", async () => {
    const long = await startSleeping([step("a", sleepS(MONTH_MS / 1000)), step("b")]);
    expect(await passChecks(long, MONTH_MS)).toEqual({ checks: 30, describes: 30 });
    await cancel(long);
    const short = await startSleeping([step("a", sleepS(20 * 3600)), step("b")]);
    expect(await passChecks(short, 20 * 3600_000)).toEqual({ checks: 0, describes: 0 });
    // After it has woken, it is checked as before.
    expect((await passChecks(short, 600_000)).describes).toBeGreaterThan(0);
    await cancel(short);
  });

  it("of a flow that waits for a nested one for a day at most once an hour", async () => {
    await addFlow(world, "f/t/waits", [{ id: "ask", value: { type: "consentgate", approvers, timeout: 40 * 24 * 3600 } }]);
    const run = await startFlow(world, [nested("n", "f/t/waits")]);
    await playExecutions(world);
    const { describes } = await passChecks(run, DAY_MS);
    expect(describes).toBeGreaterThan(0);
    expect(describes).toBeLessThanOrEqual(24 + 3);
    await cancel(run);
  });
});
