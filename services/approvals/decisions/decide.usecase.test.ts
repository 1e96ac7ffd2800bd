import { describe, expect, it } from "vitest";
import { pendingGateObject } from "../../../core/approvals/pending-gate.ts";
import { approvalEntryObject } from "../../../core/approvals/record.ts";
import { noticeObject } from "../../../core/notifications/stored-notice.ts";
import { expectToSurviveFaults } from "../../../test/support/use-cases/failing-writes.ts";
import { newWorld } from "../../../test/support/use-cases/world.ts";
import { approveGate, gates, playExecutions, startFlow } from "../../../test/support/use-cases/world-flows.ts";
import { addWorkspace, housekeep } from "../../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../../test/support/use-cases/world-people.ts";
import { resumeGateTask } from "../gates/change-gate.ts";
import { findApprovalRequestOfGate } from "../gates/find-approval-request.ts";
import { checkPayload } from "./check-payload.ts";

const asks = (required_events: number) => ({ id: "ask", value: { type: "identity" }, suspend: { required_events, timeout: 100 } });

async function waitingRun(requiredEvents = 1) {
  const world = await newWorld();
  await addWorkspace(world);
  const run = await startFlow(world, [asks(requiredEvents), { id: "b", value: { type: "identity" } }]);
  await playExecutions(world);
  const gate = async () => {
    const [found] = await gates(world, run);
    if (!found) throw new Error("The gate has not opened.");
    return found;
  };
  return { world, run, gate };
}

describe("an approval, whichever of its writes fails,", () => {
  it.each([
    ["small", 1],
    ["large", "p".repeat(20_000)],
  ])(
    "counts once when it is repeated, with a %s payload, one entry in the record and one notice",
    async (_, payload) => {
      await expectToSurviveFaults(async () => {
        const { world, run, gate } = await waitingRun();
        const { deps, workspace } = world;
        return {
          act: async () => approveGate(world, await gate(), payload),
          recover: async () => approveGate(world, await gate(), payload).catch(() => undefined),
          check: async () => {
            const decided = await gate();
            expect(decided).toMatchObject({ decision: { outcome: "approved", approver: "kim" }, events: [{ approver: "kim" }] });
            expect(await deps.objects.list(approvalEntryObject.partitionKey(workspace), { beginsWith: `${run}#` })).toHaveLength(1);
            const notices = await deps.objects.list(noticeObject.partitionKey(workspace));
            expect(notices.map(({ value }) => (value as { what: string }).what).sort()).toEqual(["decided", "opened"]);
            expect(await deps.jobs.get(run)).toMatchObject({ suspends: 0 });
            expect(await deps.objects.list(pendingGateObject.partitionKey(workspace))).toEqual([]);
            expect(world.resumed.some(({ token }) => token === decided.token)).toBe(true);
            await resumeGateTask(deps, decided);
            await playExecutions(world);
            expect(await deps.jobs.get(run)).toMatchObject({ state: "succeeded" });
          },
        };
      });
    },
    120_000,
  );
});

describe("a form whose pattern cannot run in linear time", () => {
  const asksWith = (pattern: string) => {
    const schema = { type: "object", properties: { code: { type: "string", pattern } } };
    return { ...asks(1), suspend: { required_events: 1, resume_form: { schema } } };
  };

  it("fails the step before it requests approval", async () => {
    const world = await newWorld();
    await addWorkspace(world);
    const run = await startFlow(world, [asksWith("^(?!a)b")]);
    await playExecutions(world);
    expect(await gates(world, run)).toEqual([]);
    expect(await world.deps.jobs.get(run)).toMatchObject({ state: "failed" });
  });

  it("that has waited since an earlier release accepts no payload, and its error names the pattern", async () => {
    const { world, run, gate } = await waitingRun();
    const flow = await world.deps.jobs.get(run);
    if (!flow) throw new Error("The run does not exist.");
    const request = await findApprovalRequestOfGate(world.deps, await gate(), flow);
    const stored = { ...request, module: { ...request.module, suspend: asksWith("^(?!a)b").suspend } };
    await expect(checkPayload(world.deps, stored, { code: "b" })).rejects.toMatchObject({
      code: "approval.form",
      details: { issues: [{ path: "", reason: expect.stringMatching(/properties\.code\.pattern contains a look-ahead/) }] },
    });
  });
});

describe("the approver of a decision", () => {
  it.each([
    ["the name in the link, also for an approver who is signed in", "purchasing", "purchasing"],
    ["the approver's own name if the link has none", "", anAdmin.username],
  ])("is %s, and the record has the address too", async (_, approver, shown) => {
    const { world, run, gate } = await waitingRun();
    await approveGate(world, await gate(), 1, { approver, person: anAdmin });
    expect(await gate()).toMatchObject({
      decision: { approver: shown, email: anAdmin.email },
      events: [{ approver: shown, email: anAdmin.email }],
    });
    const [entry] = await world.deps.objects.list(approvalEntryObject.partitionKey(world.workspace), { beginsWith: `${run}#` });
    expect(JSON.stringify(entry?.value)).toContain(anAdmin.email);
    expect(JSON.stringify(entry?.value)).toContain(shown);
  });
});

describe("twenty simultaneous decisions", () => {
  const codeOf = (outcome: PromiseSettledResult<unknown>) =>
    outcome.status === "fulfilled" ? "counted" : (outcome.reason as { code?: string }).code;
  const count = (outcomes: PromiseSettledResult<unknown>[]) => {
    const codes = outcomes.map(codeOf);
    return Object.fromEntries([...new Set(codes)].map((code) => [code, codes.filter((each) => each === code).length]));
  };
  const twenty = <T>(call: (n: number) => Promise<T>) => Promise.allSettled(Array.from({ length: 20 }, (_, n) => call(n)));

  it("one link decides a gate that requires one approval once", async () => {
    const { world, gate } = await waitingRun();
    const asked = await gate();
    expect(count(await twenty(() => approveGate(world, asked)))).toEqual({ counted: 1, "approval.decided": 19 });
    expect((await gate()).events).toHaveLength(1);
  });

  it("one link counts as one of two required approvals", async () => {
    const { world, gate } = await waitingRun(2);
    const asked = await gate();
    expect(count(await twenty(() => approveGate(world, asked)))).toEqual({ counted: 20 });
    const { events, decision } = await gate();
    expect([events.length, decision]).toEqual([1, undefined]);
  });

  it("different links count until the gate has the required number", async () => {
    const { world, run, gate } = await waitingRun(12);
    const asked = await gate();
    const outcomes = await twenty((n) => approveGate(world, asked, n, { resumeId: n, approver: `a${n}` }));
    expect(count(outcomes)).toEqual({ counted: 12, "approval.decided": 8 });
    expect(new Set((await gate()).events.map(({ approver }) => approver)).size).toBe(12);
    await playExecutions(world);
    expect(await world.deps.jobs.get(run)).toMatchObject({ state: "succeeded" });
  });

  it("exactly one of ten approvals and ten rejections decides, and the flow ends as decided", async () => {
    const { world, run, gate } = await waitingRun();
    const asked = await gate();
    const outcomes = await twenty((n) => approveGate(world, asked, n, { resumeId: n, approver: `a${n}`, approved: n % 2 === 0 }));
    expect(count(outcomes)).toEqual({ counted: 1, "approval.decided": 19 });
    const winner = outcomes.findIndex(({ status }) => status === "fulfilled");
    const outcome = winner % 2 === 0 ? "approved" : "rejected";
    expect((await gate()).decision).toMatchObject({ outcome, approver: `a${winner}` });
    await playExecutions(world);
    expect(await world.deps.jobs.get(run)).toMatchObject({ state: outcome === "approved" ? "succeeded" : "failed" });
  });
});

describe("the deadline of a gate", () => {
  it("accepts an approval before the deadline and refuses one at the deadline", async () => {
    for (const [beforeMs, outcome] of [
      [1, "approved"],
      [0, "expired"],
    ] as const) {
      const { world, gate } = await waitingRun();
      world.clock.nowMs = ((await gate()).opened?.deadlineMs ?? 0) - beforeMs;
      await approveGate(world, await gate()).catch(() => undefined);
      await housekeep(world);
      world.clock.nowMs += 1000;
      await housekeep(world);
      expect(await gate()).toMatchObject({ decision: { outcome } });
    }
  });

  it("lets either the expiry or a simultaneous approval decide, and the flow follows that decision", async () => {
    const { world, run, gate } = await waitingRun();
    const request = await gate();
    world.clock.nowMs = (request.opened?.deadlineMs ?? 0) - 1;
    const later = { ...world, deps: { ...world.deps, nowMs: () => world.clock.nowMs + 1 } };
    await Promise.all([approveGate(world, request).catch(() => undefined), housekeep(later)]);
    await playExecutions(world);
    const { decision } = await gate();
    expect([decision?.outcome, (await world.deps.jobs.get(run))?.state]).toEqual(
      decision?.outcome === "approved" ? ["approved", "succeeded"] : ["expired", "canceled"],
    );
  });
});
