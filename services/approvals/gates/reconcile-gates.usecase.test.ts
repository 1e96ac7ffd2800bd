import { beforeAll, describe, expect, it } from "vitest";
import { pendingGateObject } from "../../../core/approvals/pending-gate.ts";
import type { GateNotice } from "../../../core/notifications/notice.ts";
import { noticeObject } from "../../../core/notifications/stored-notice.ts";
import { expectToSurviveFaults, withFault } from "../../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../../test/support/use-cases/world.ts";
import { approveGate, gates, playExecutions, startFlow } from "../../../test/support/use-cases/world-flows.ts";
import { addWorkspace, passLease } from "../../../test/support/use-cases/world-jobs.ts";
import { runTask } from "../../flows/runtime/run-task.ts";
import { reconcileGates } from "./reconcile-gates.ts";

const consent = {
  id: "ask",
  value: {
    type: "consentgate",
    approvers: ["u/ann"],
    remind_after: 1000,
    escalate: { after: 2000, approvers: ["kim@example.com"] },
    timeout: 3000,
  },
};

let world: World;
beforeAll(async () => {
  world = await newWorld();
  await addWorkspace(world);
});

const noticesOf = async (run: string) => {
  const notices = (await world.deps.objects.list(noticeObject.partitionKey(world.workspace))).map(({ value }) => value as GateNotice);
  return notices.filter(({ flow }) => flow === run).map(({ what }) => what);
};
const gateOf = async (run: string) => {
  const [gate] = await gates(world, run);
  if (!gate) throw new Error("The gate has not opened.");
  return gate;
};
async function reconcile(run: string): Promise<void> {
  const flow = await world.deps.jobs.get(run);
  if (flow?.state === "running") await reconcileGates(world.deps, flow);
}
async function waitingRun(): Promise<string> {
  const run = await startFlow(world, [consent]);
  await playExecutions(world);
  return run;
}
const nextDueMs = ({ opened }: Awaited<ReturnType<typeof gateOf>>) =>
  Math.min(...[opened?.remindAtMs, opened?.escalate?.atMs, opened?.deadlineMs].flatMap((atMs) => atMs ?? []));

describe("reconcileGates, whichever of its writes fails,", () => {
  it.each([
    ["a reminder", 1, ["opened", "reminded"]],
    ["an escalation", 2, ["opened", "reminded", "escalated"]],
    ["the end of its time", 3, ["opened", "reminded", "escalated", "expired"]],
  ])("changes the gate for %s once, and writes one notice of it", async (_, due, notices) => {
    await expectToSurviveFaults(async () => {
      const run = await waitingRun();
      for (let times = 1; times < due; times += 1) {
        world.clock.nowMs = nextDueMs(await gateOf(run));
        await reconcile(run);
      }
      world.clock.nowMs = nextDueMs(await gateOf(run));
      return {
        act: () => reconcile(run),
        recover: () => reconcile(run),
        check: async () => {
          await reconcile(run);
          expect((await noticesOf(run)).sort()).toEqual([...notices].sort());
          const gate = await gateOf(run);
          if (due === 3) {
            expect(gate).toMatchObject({ decision: { outcome: "expired" } });
            expect(world.resumed.some(({ token }) => token === gate.token)).toBe(true);
          } else expect(gate.decision).toBeUndefined();
        },
      };
    });
  });

  it("sends the reminder and the escalation that are due in one tick", async () => {
    const run = await waitingRun();
    world.clock.nowMs = (await gateOf(run)).opened?.escalate?.atMs ?? Number.NaN;
    await reconcile(run);
    expect((await noticesOf(run)).sort()).toEqual(["escalated", "opened", "reminded"]);
    expect((await gateOf(run)).opened?.rules.people).toEqual(["u/ann", "kim@example.com"]);
  });

  it("writes one notice when two ticks run at the same time", async () => {
    const run = await waitingRun();
    world.clock.nowMs = nextDueMs(await gateOf(run));
    await Promise.all([reconcile(run), reconcile(run), reconcile(run)]);
    expect((await noticesOf(run)).sort()).toEqual(["opened", "reminded"]);
  });
});

describe("the opening of a gate, whichever of its writes fails,", () => {
  it("writes one notice with the gate, which then waits for its decision", async () => {
    const make = async () => {
      const run = await startFlow(world, [consent]);
      let call: typeof runTask = runTask;
      return {
        act: () => playExecutions(world, call),
        recover: async () => {
          call = runTask;
          await playExecutions(world);
          await passLease(world, 1);
          await playExecutions(world);
        },
        check: async () => {
          const gate = await gateOf(run);
          expect(gate.opened).toBeDefined();
          expect(await noticesOf(run)).toEqual(["opened"]);
          expect(
            (await world.deps.objects.list(pendingGateObject.partitionKey(world.workspace))).filter(({ sk }) => sk === gate.id),
          ).toHaveLength(1);
          // Leaves no due gate for the next scenario.
          await withFault(undefined, () => approveGate(world, gate).catch(() => undefined));
        },
      };
    };
    await expectToSurviveFaults(make, { kinds: ["error"] });
  });
});
