import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openScheduleTests } from "../../test/support/use-cases/cases/schedule-tests.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { success } from "../../test/support/use-cases/world.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { addScriptAt, aScheduleRequest } from "../../test/support/use-cases/world-schedules.ts";
import { createSchedule, deleteSchedule, setScheduleEnabled, updateSchedule } from "./save.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const { world, removeSchedules, runsOf, statesOf, passUntil, handle, aSchedule, load, nextHour } = await openScheduleTests();
beforeEach(() => {
  // A whole minute, so that the ticks have simple times.
  world.clock.nowMs = Math.ceil(world.clock.nowMs / MINUTE) * MINUTE + HOUR;
  world.answers.run = async () => success(1);
});
afterEach(removeSchedules);

describe("whichever write fails,", () => {
  it("a created schedule has one next run, or none was created", async () => {
    await expectToSurviveFaults(async () => {
      const request = aScheduleRequest({ schedule: "0 0 * * * *" });
      const act = () => createSchedule(world.deps, { actor: anAdmin, workspace: world.workspace }, request);
      return {
        act,
        recover: () => act().catch((error: unknown) => expect(error).toMatchObject({ code: "schedule.exists" })),
        check: async () => expect(await statesOf(request.path)).toEqual(["queued"]),
      };
    });
  });

  it("a changed schedule has the one next run that it defines", async () => {
    await expectToSurviveFaults(async () => {
      await removeSchedules();
      const path = await aSchedule();
      const caller = { actor: anAdmin, workspace: world.workspace, path };
      const act = () => updateSchedule(world.deps, caller, { schedule: "30 * * * *", timezone: "UTC", args: { b: 2 } });
      return {
        act,
        recover: act,
        check: async () => expect(await runsOf(path)).toMatchObject([{ state: "queued", args: { json: '{"b":2}' } }]),
      };
    });
  });

  it("a schedule that is turned off or deleted has no next run", async () => {
    await expectToSurviveFaults(async () => {
      await removeSchedules();
      const path = await aSchedule();
      const act = async () => {
        await setScheduleEnabled(world.deps, { actor: anAdmin, workspace: world.workspace, path }, false);
        await deleteSchedule(world.deps, { actor: anAdmin, workspace: world.workspace, path });
      };
      return {
        act,
        recover: () => act().catch((error: unknown) => expect(error).toMatchObject({ code: "schedule.notFound" })),
        check: async () => expect(await runsOf(path)).toEqual([]),
      };
    });
  });

  it("a schedule without its script is turned off, and its run ends", async () => {
    await expectToSurviveFaults(async () => {
      await removeSchedules();
      await addScriptAt(world, "f/ops/gone");
      const path = await aSchedule({ script_path: "f/ops/gone" });
      await addScriptAt(world, "f/ops/gone", { archived: true });
      world.clock.nowMs = nextHour();
      const [job] = await runsOf(path);
      return {
        act: () => handle(job?.id ?? ""),
        recover: async () => {
          await passUntil(world.clock.nowMs + 2 * MINUTE);
        },
        check: async () => {
          expect(await load(path)).toMatchObject({ enabled: false, error: expect.stringContaining("no script") as unknown });
          expect(await statesOf(path)).toEqual(["canceled"]);
        },
      };
    });
  });

  it("a tick runs, and the schedule has one next run", async () => {
    await expectToSurviveFaults(async () => {
      await removeSchedules();
      world.clock.nowMs = nextHour();
      const path = await aSchedule();
      world.clock.nowMs = nextHour();
      const [job] = await runsOf(path);
      return {
        act: () => handle(job?.id ?? ""),
        recover: async () => {
          for (let round = 0; round < 3; round += 1) await passUntil(world.clock.nowMs + 2 * MINUTE);
        },
        check: async () => expect(await statesOf(path)).toEqual(["succeeded", "queued"]),
      };
    });
  });

  it("a late tick is skipped, and the schedule continues", async () => {
    await expectToSurviveFaults(async () => {
      await removeSchedules();
      world.clock.nowMs = nextHour();
      const path = await aSchedule();
      world.clock.nowMs = nextHour() + 20 * MINUTE;
      const [job] = await runsOf(path);
      return {
        act: () => handle(job?.id ?? ""),
        recover: async () => {
          await passUntil(world.clock.nowMs + 2 * MINUTE);
        },
        check: async () => {
          expect((await statesOf(path)).filter((state) => state === "queued")).toEqual(["queued"]);
          expect((await statesOf(path))[0]).toMatch(/skipped|canceled/);
          expect((await load(path)).error).toContain("was skipped");
        },
      };
    });
  });
});
