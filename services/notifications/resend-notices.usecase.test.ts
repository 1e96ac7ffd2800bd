import { beforeAll, describe, expect, it } from "vitest";
import { actions } from "../../contract/access/actions.ts";
import { limits } from "../../contract/limits.ts";
import type { GateNotice } from "../../core/notifications/notice.ts";
import { noticeObject } from "../../core/notifications/stored-notice.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { gates, playExecutions, startFlow } from "../../test/support/use-cases/world-flows.ts";
import { addWorkspace } from "../../test/support/use-cases/world-jobs.ts";
import { repeat } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { resendNoticesOfGate } from "./resend-notices.ts";

let world: World;
beforeAll(async () => {
  world = await newWorld();
  await addWorkspace(world);
});

/** A gate that waits for its decision. */
async function aGate() {
  const run = await startFlow(world, [{ id: "ask", value: { type: "consentgate", approvers: ["u/ann"] } }]);
  await playExecutions(world);
  const [gate] = await gates(world, run);
  if (!gate) throw new Error("The gate has not opened.");
  const { workspace, id } = gate;
  return {
    resend: () => resendNoticesOfGate(world.deps, { actor: anAdmin, action: actions.readRun }, { workspace, id }),
    async reminders(): Promise<number> {
      const notices = (await world.deps.objects.list(noticeObject.partitionKey(workspace))).map(({ value }) => value as GateNotice);
      return notices.filter((notice) => notice.gate === id && notice.what === "reminded").length;
    },
  };
}

describe("resendNoticesOfGate, whichever of its writes fails,", () => {
  it("writes one reminder when the call is repeated, and another one after a minute", async () => {
    await expectToSurviveFaults(async () => {
      const { resend, reminders } = await aGate();
      return {
        act: resend,
        recover: () => repeat(resend, ["approval.noticeAgain"]),
        check: async () => {
          expect(await reminders()).toBe(1);
          await expect(resend()).rejects.toMatchObject({ code: "approval.noticeAgain" });
          world.clock.nowMs += limits.noticeAgainMs + 1000;
          await resend();
          expect(await reminders()).toBe(2);
        },
      };
    });
  });
});

describe("simultaneous calls of resendNoticesOfGate", () => {
  it("write one reminder", async () => {
    const { resend, reminders } = await aGate();
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, resend));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await reminders()).toBe(1);
  });
});
