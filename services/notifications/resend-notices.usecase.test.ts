import { beforeAll, describe, expect, it } from "vitest";
import { actions } from "../../contract/access/actions.ts";
import { limits } from "../../contract/limits.ts";
import type { GateNotice } from "../../core/notifications/notice.ts";
import { noticeObject } from "../../core/notifications/stored-notice.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { newRoom, type Room } from "../../test/support/use-cases/room.ts";
import { gates, playExecutions, startFlow } from "../../test/support/use-cases/room-flows.ts";
import { addWorkspace } from "../../test/support/use-cases/room-jobs.ts";
import { repeat } from "../../test/support/use-cases/room-objects.ts";
import { anAdmin } from "../../test/support/use-cases/room-people.ts";
import { resendNoticesOfGate } from "./resend-notices.ts";

let room: Room;
beforeAll(async () => {
  room = await newRoom();
  await addWorkspace(room);
});

/** A gate that waits for its decision. */
async function aGate() {
  const run = await startFlow(room, [{ id: "ask", value: { type: "consentgate", approvers: ["u/ann"] } }]);
  await playExecutions(room);
  const [gate] = await gates(room, run);
  if (!gate) throw new Error("The gate has not opened.");
  const { workspace, id } = gate;
  return {
    resend: () => resendNoticesOfGate(room.deps, { actor: anAdmin, action: actions.readRun }, { workspace, id }),
    async reminders(): Promise<number> {
      const notices = (await room.deps.objects.list(noticeObject.partitionKey(workspace))).map(({ value }) => value as GateNotice);
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
          room.clock.nowMs += limits.noticeAgainMs + 1000;
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
