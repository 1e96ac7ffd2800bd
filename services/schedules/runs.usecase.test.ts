import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hasEnded } from "../../core/jobs/record/job.ts";
import { personKey, userObject } from "../../core/people/person.ts";
import { memberObject } from "../../core/permissions/access.ts";
import { toNextRunId, toRunId } from "../../core/schedules/next-run.ts";
import { scheduleObject, storedScheduleSchema } from "../../core/schedules/schedule.ts";
import { openScheduleTests } from "../../test/support/use-cases/cases/schedule-tests.ts";
import { failure, success } from "../../test/support/use-cases/world.ts";
import { addFlow } from "../../test/support/use-cases/world-flows.ts";
import { housekeep, resumeDue, work } from "../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { addScriptAt } from "../../test/support/use-cases/world-schedules.ts";
import { handleJobMessage } from "../execution/handle-job-message.ts";
import { archiveWorkspace } from "../jobs/cancel/archive-workspace.ts";
import { cancelJob } from "../jobs/cancel/cancel-job.ts";
import { runJobNow } from "../jobs/queue/run-job-now.ts";
import { deleteWorkspace, setWorkspaceArchived } from "../workspaces/archive.ts";
import { listSchedulesWithRuns } from "./list-runs.ts";
import { countSchedules, getSchedule } from "./read.ts";
import { deleteSchedule, setScheduleEnabled, updateSchedule } from "./save.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const { world, removeSchedules, runsOf, statesOf, waitingOf, passUntil, handle, aSchedule, load, nextHour } = await openScheduleTests();
beforeEach(() => {
  // A whole minute, so that the ticks have simple times.
  world.clock.nowMs = Math.ceil(world.clock.nowMs / MINUTE) * MINUTE + HOUR;
  world.answers.run = async () => success(1);
});
afterEach(removeSchedules);

describe("a saved schedule", () => {
  it("has its next run as a queued job, with an id of its tick", async () => {
    const path = await aSchedule({ args: { a: 1 }, tag: "slow" });
    const [job, ...others] = await runsOf(path);
    expect(others).toEqual([]);
    const { id } = storedScheduleSchema.parse((await world.deps.objects.get(scheduleObject.key(world.workspace, path)))?.value);
    expect(job).toMatchObject({
      id: toRunId(id, nextHour()),
      state: "queued",
      kind: "script",
      path: "f/ops/hello",
      scheduledForMs: nextHour(),
      schedulePath: path,
      trigger: "schedule",
      tag: "slow",
      permissionedAs: "u/ann",
      args: { in: "head", json: '{"a":1}' },
    });
  });

  it("starts its run at the tick, and gets the next one in the same step", async () => {
    const path = await aSchedule();
    const tickMs = nextHour();
    await passUntil(tickMs - MINUTE);
    expect(await statesOf(path)).toEqual(["queued"]);
    await passUntil(tickMs);
    const [first, second] = await runsOf(path);
    expect(first).toMatchObject({ state: "succeeded", startedAtMs: tickMs });
    expect(second).toMatchObject({ state: "queued", scheduledForMs: tickMs + HOUR });
    await passUntil(tickMs + HOUR);
    expect(await statesOf(path)).toEqual(["succeeded", "succeeded", "queued"]);
  });

  it("starts one run for two claims of a tick", async () => {
    const path = await aSchedule();
    world.clock.nowMs = nextHour();
    const [job] = await runsOf(path);
    const before = world.runs.length;
    await Promise.all([handle(job?.id ?? ""), handle(job?.id ?? ""), handle(job?.id ?? "")]);
    expect(world.runs.length - before).toBe(1);
    expect(await statesOf(path)).toEqual(["succeeded", "queued"]);
  });

  it("runs the version that is current at the tick", async () => {
    await addScriptAt(world, "f/ops/changing", { tag: "old" });
    const path = await aSchedule({ script_path: "f/ops/changing" });
    const { hash } = await addScriptAt(world, "f/ops/changing", { tag: "new", timeoutS: 7 });
    await passUntil(nextHour());
    expect((await runsOf(path))[0]).toMatchObject({ state: "succeeded", hash, tag: "new", timeoutS: 7 });
  });

  it("has no job for a tick in more than 30 days, and gets it when the tick is near", async () => {
    const path = await aSchedule({ schedule: "0 0 1 1 *", timezone: "UTC" });
    const newYear = Date.UTC(new Date(world.clock.nowMs).getUTCFullYear() + 1, 0, 1);
    const isNear = newYear - world.clock.nowMs <= 30 * 24 * HOUR;
    if (!isNear) expect(await runsOf(path)).toEqual([]);
    await passUntil(Math.max(world.clock.nowMs, newYear - 29 * 24 * HOUR));
    expect(await runsOf(path)).toMatchObject([{ state: "queued", scheduledForMs: newYear }]);
    await passUntil(newYear);
    expect(await statesOf(path)).toEqual(["succeeded"]);
    expect((await world.deps.schedules.get(world.workspace, path)).next).toMatchObject({
      tickMs: Date.UTC(new Date(newYear).getUTCFullYear() + 1, 0, 1),
    });
  });
});

describe("a change of a schedule", () => {
  it("replaces the waiting run when it is saved, and removes it when it is turned off or deleted", async () => {
    const path = await aSchedule();
    const caller = { actor: anAdmin, workspace: world.workspace, path };
    await updateSchedule(world.deps, caller, { schedule: "0 30 * * * *", timezone: "UTC", args: { b: 2 } });
    expect(await runsOf(path)).toMatchObject([{ args: { json: '{"b":2}' } }]);
    await updateSchedule(world.deps, caller, { schedule: "30 * * * *", timezone: "UTC", args: { c: 3 } });
    expect(await runsOf(path)).toMatchObject([{ args: { json: '{"c":3}' } }]);
    await setScheduleEnabled(world.deps, caller, false);
    expect(await runsOf(path)).toEqual([]);
    await setScheduleEnabled(world.deps, caller, true);
    expect(await runsOf(path)).toHaveLength(1);
    await deleteSchedule(world.deps, { actor: anAdmin, workspace: world.workspace, path });
    expect(await runsOf(path)).toEqual([]);
    expect((await world.deps.schedules.get(world.workspace, path)).next).toBeUndefined();
  });

  it("a message for a run that was removed does nothing", async () => {
    const path = await aSchedule();
    const [job] = await runsOf(path);
    await deleteSchedule(world.deps, { actor: anAdmin, workspace: world.workspace, path });
    await handleJobMessage(world.deps, { job: job?.id ?? "", claimer: "schedule" });
    expect(await runsOf(path)).toEqual([]);
  });

  it("a canceled run is followed by the next one", async () => {
    const path = await aSchedule();
    const [job] = await runsOf(path);
    if (job) await cancelJob(world.deps, job, { by: "ann", reason: "" });
    await work(world);
    expect(await runsOf(path)).toMatchObject([{ state: "canceled" }, { state: "queued", scheduledForMs: nextHour() + HOUR }]);
  });

  it("a run that is started by hand replaces its tick", async () => {
    const path = await aSchedule();
    const [job] = await runsOf(path);
    if (job) await runJobNow(world.deps, job);
    await handle(job?.id ?? "");
    expect(await runsOf(path)).toMatchObject([{ state: "succeeded" }, { state: "queued", scheduledForMs: nextHour() + HOUR }]);
  });
});

describe("missed ticks", () => {
  it("run once if the last one was missed by up to 15 minutes", async () => {
    const path = await aSchedule({ schedule: "0 * * * * *" });
    const firstMs = world.clock.nowMs + MINUTE;
    await passUntil(firstMs + 10 * MINUTE + 500);
    expect(await runsOf(path)).toMatchObject([
      { state: "succeeded", scheduledForMs: firstMs },
      { state: "queued", scheduledForMs: firstMs + 11 * MINUTE },
    ]);
    expect((await load(path)).error).toBeUndefined();
  });

  it("are skipped and named if they are older, and the last one runs if it is not older", async () => {
    const path = await aSchedule({ schedule: "0 * * * * *" });
    const firstMs = world.clock.nowMs + MINUTE;
    await passUntil(firstMs + HOUR + 500);
    await passUntil(firstMs + HOUR + 600);
    const [late, last, next] = await runsOf(path);
    expect(late).toMatchObject({ state: "skipped", scheduledForMs: firstMs });
    expect(last).toMatchObject({ state: "succeeded", scheduledForMs: firstMs + HOUR });
    expect(next).toMatchObject({ state: "queued", scheduledForMs: firstMs + HOUR + MINUTE });
    const at = (ms: number) => new Date(ms).toISOString().replace(".000Z", "Z");
    expect((await load(path)).error).toContain(`46 ticks from ${at(firstMs)} to ${at(firstMs + 45 * MINUTE)} were skipped`);
    expect((await load(path)).enabled).toBe(true);
  });

  it("of a day are skipped until the next day", async () => {
    const path = await aSchedule({ schedule: "0 0 0 * * *" });
    const midnight = Math.ceil(world.clock.nowMs / (24 * HOUR)) * 24 * HOUR;
    await passUntil(midnight + 16 * MINUTE);
    expect(await runsOf(path)).toMatchObject([{ state: "skipped" }, { state: "queued", scheduledForMs: midnight + 24 * HOUR }]);
    expect((await load(path)).error).toContain("could not start it within 15 minutes");
  });
});

describe("a schedule that cannot run turns itself off", () => {
  const expectOff = async (path: string, error: string) => {
    await passUntil(nextHour());
    expect(await load(path)).toMatchObject({ enabled: false, error: expect.stringContaining(error) as unknown });
    expect(await statesOf(path)).toEqual(["canceled"]);
    expect((await world.deps.schedules.get(world.workspace, path)).next).toBeUndefined();
  };

  it("without its script", async () => {
    await addScriptAt(world, "f/ops/gone");
    const path = await aSchedule({ script_path: "f/ops/gone" });
    await addScriptAt(world, "f/ops/gone", { archived: true });
    const { version } = await getSchedule(world.deps, world.workspace, path);
    await expectOff(path, "There is no script at f/ops/gone");
    const target = { actor: anAdmin, workspace: world.workspace, path, expected: [version] };
    const refused = { code: "object.versionChanged", details: { by: "svc", at: expect.any(String) as unknown } };
    await expect(setScheduleEnabled(world.deps, target, true)).rejects.toMatchObject(refused);
  });

  it("if its user is disabled, or may no longer run the script", async () => {
    const { objects } = world.deps;
    const path = await aSchedule();
    const key = userObject.key(personKey(anAdmin.email));
    const user = (await objects.get(key))?.value as object;
    await objects.put({ ...key, value: { ...user, disabled: true } });
    await expectOff(path, "u/ann, for whom the schedule runs, is disabled");
    await objects.put({ ...key, value: user });
    const other = await aSchedule();
    const member = memberObject.key(world.workspace, personKey(anAdmin.email));
    const asMember = (await objects.get(member))?.value as object;
    await objects.put({ ...key, value: { ...user, superAdmin: false } });
    await objects.put({ ...member, value: { ...asMember, disabled: true } });
    await expectOff(other, "u/ann may not run f/ops/hello");
    await objects.put({ ...key, value: user });
    await objects.put({ ...member, value: asMember });
  });
});

describe("the options of a schedule", () => {
  it("paused_until moves the next tick, and the tick at that time happens", async () => {
    const until = nextHour() + 5 * HOUR;
    const path = await aSchedule({ paused_until: new Date(until).toISOString() });
    expect(await runsOf(path)).toMatchObject([{ scheduledForMs: until }]);
  });

  it.each([true, false])("dynamic_skip %s: the script decides whether the run is skipped", async (skips) => {
    await addScriptAt(world, "f/ops/skip", { params: ["scheduled_for"] });
    const path = await aSchedule({ dynamic_skip: "f/ops/skip" });
    const tickMs = nextHour();
    const asked: unknown[] = [];
    world.answers.run = async ({ args }) => {
      if (args && "scheduled_for" in args) asked.push(args);
      return success(skips);
    };
    await passUntil(tickMs);
    await passUntil(tickMs + 100);
    expect(asked).toEqual([{ scheduled_for: new Date(tickMs).toISOString() }]);
    expect(await statesOf(path)).toEqual([skips ? "skipped" : "succeeded", "queued"]);
  });

  it("a failing dynamic_skip skips nothing", async () => {
    await addScriptAt(world, "f/ops/broken", { params: ["scheduled_for"] });
    const path = await aSchedule({ dynamic_skip: "f/ops/broken" });
    world.answers.run = async ({ args }) => (args && "scheduled_for" in args ? failure("no") : success(1));
    await passUntil(nextHour());
    await passUntil(world.clock.nowMs + 100);
    expect(await statesOf(path)).toEqual(["succeeded", "queued"]);
  });

  it("a script with a concurrency limit waits for its slot, and the schedule continues", async () => {
    await addScriptAt(world, "f/ops/limited", { concurrency: { limit: 1 } });
    const path = await aSchedule({ script_path: "f/ops/limited" });
    const tickMs = nextHour();
    await passUntil(tickMs);
    expect((await runsOf(path))[0]).toMatchObject({ state: "succeeded", concurrency: { limit: 1 } });
    await passUntil(tickMs + HOUR);
    expect(await statesOf(path)).toEqual(["succeeded", "succeeded", "queued"]);
  });

  it("retry runs the script as the only step of a flow, which alone takes the slot of the script", async () => {
    await addScriptAt(world, "f/ops/limited", { concurrency: { limit: 1 } });
    const path = await aSchedule({ script_path: "f/ops/limited", retry: { constant: { attempts: 2, seconds: 1 } }, args: { "a b": 1 } });
    const [job] = await runsOf(path);
    expect(job).toMatchObject({ kind: "singlestepflow", path: "f/ops/limited" });
    await passUntil(nextHour());
    const [run] = await runsOf(path);
    expect(run?.state).toBe("running");
    expect(run?.concurrency).toBeUndefined();
    expect(world.started.some((execution) => execution.job === run?.id)).toBe(true);
  });
});

describe("no_flow_overlap", () => {
  it("starts the flow again only when its last run has ended", async () => {
    await addFlow(world, "f/ops/long", [{ id: "a", value: { type: "script", path: "f/ops/hello" }, suspend: { required_events: 1 } }]);
    const path = await aSchedule({ script_path: "f/ops/long", is_flow: true, no_flow_overlap: true });
    const tickMs = nextHour();
    await passUntil(tickMs);
    expect(await statesOf(path)).toEqual(["running"]);
    await passUntil(tickMs + HOUR + MINUTE);
    expect(await statesOf(path)).toEqual(["running"]);
    const [run] = await runsOf(path);
    if (run) await cancelJob(world.deps, run, { by: "ann", reason: "" });
    await work(world);
    expect(await runsOf(path)).toMatchObject([{ state: "canceled" }, { state: "queued", scheduledForMs: tickMs + 2 * HOUR }]);
  });

  it("skips a tick that a change of the schedule created while the flow runs", async () => {
    await addFlow(world, "f/ops/long", [{ id: "a", value: { type: "script", path: "f/ops/hello" }, suspend: { required_events: 1 } }]);
    const fields = { script_path: "f/ops/long", is_flow: true, no_flow_overlap: true };
    const path = await aSchedule(fields);
    const tickMs = nextHour();
    await passUntil(tickMs);
    const caller = { actor: anAdmin, workspace: world.workspace, path };
    await updateSchedule(world.deps, caller, { schedule: "0 0 * * * *", timezone: "UTC", args: {}, ...fields });
    expect(await statesOf(path)).toEqual(["running", "queued"]);
    await passUntil(tickMs + HOUR);
    expect(await statesOf(path)).toEqual(["running", "skipped"]);
    const [run] = await runsOf(path);
    if (run) await cancelJob(world.deps, run, { by: "ann", reason: "" });
    await work(world);
    expect(await statesOf(path)).toEqual(["canceled", "skipped", "queued"]);
  });

  it("a flow without it starts at each tick", async () => {
    await addFlow(world, "f/ops/long", [{ id: "a", value: { type: "script", path: "f/ops/hello" }, suspend: { required_events: 1 } }]);
    const path = await aSchedule({ script_path: "f/ops/long", is_flow: true });
    await passUntil(nextHour());
    await passUntil(nextHour());
    expect(await statesOf(path)).toEqual(["running", "running", "queued"]);
  });
});

it("a list shows the last runs of each schedule, and a script counts its schedules", async () => {
  await addScriptAt(world, "f/ops/counted");
  const path = await aSchedule({ script_path: "f/ops/counted" });
  await passUntil(nextHour());
  world.answers.run = async () => failure("no");
  await passUntil(nextHour());
  const listed = await listSchedulesWithRuns(world.deps, world.workspace, { per_page: 100 }, (one) => one === path);
  const [second, first] = (await runsOf(path)).filter(hasEnded).reverse();
  expect(listed).toMatchObject([
    {
      path,
      jobs: [
        { id: second?.id, success: false },
        { id: first?.id, success: true },
      ],
    },
  ]);
  expect(await countSchedules(world.deps, world.workspace, { path: "f/ops/counted", isFlow: false })).toBe(1);
});

it("a change and a claim of the same tick do not both succeed", async () => {
  const path = await aSchedule();
  const caller = { actor: anAdmin, workspace: world.workspace, path };
  world.clock.nowMs = nextHour();
  const [job] = await runsOf(path);
  await Promise.all([
    handle(job?.id ?? ""),
    updateSchedule(world.deps, caller, { schedule: "30 * * * *", timezone: "UTC", args: { b: 2 } }),
    setScheduleEnabled(world.deps, caller, true),
  ]);
  expect((await waitingOf(path)).length).toBe(1);
  const { next } = await world.deps.schedules.get(world.workspace, path);
  expect((await waitingOf(path))[0]?.id).toBe(next?.job);
});

describe("housekeeping", () => {
  it("reads a schedule that waits for a year only when its tick comes near", async () => {
    const path = await aSchedule({ schedule: "0 0 1 1 *" });
    const { next } = await world.deps.schedules.get(world.workspace, path);
    const days = ((next?.tickMs ?? 0) - world.clock.nowMs) / (24 * HOUR);
    expect(((next?.dueAtMs ?? 0) - world.clock.nowMs) / (24 * HOUR)).toBeCloseTo(days > 30 ? days - 30 : days, 0);
  });

  it("restores the lost next run of a schedule", async () => {
    const path = await aSchedule();
    const [job] = await runsOf(path);
    await world.deps.jobs.deleteItem(job?.id ?? "", "job");
    await passUntil(nextHour() + 16 * MINUTE);
    expect((await waitingOf(path)).map(({ scheduledForMs }) => scheduledForMs)).toEqual([nextHour()]);
  });

  it("removes the next run of a schedule that is gone", async () => {
    const path = await aSchedule();
    await world.deps.objects.deleteItem(scheduleObject.key(world.workspace, path));
    world.clock.nowMs = nextHour() + 16 * MINUTE;
    await resumeDue(world);
    await work(world);
    expect(await world.deps.jobs.getChild(toNextRunId(world.workspace, path), "schedule")).toBeUndefined();
    expect((await runsOf(path)).filter((job) => !hasEnded(job))).toEqual([]);
  });
});

// The last test: it deletes the workspace of the world.
describe("a workspace that is not in use", () => {
  it("continues its schedules after it is restored, and loses them when it is deleted", async () => {
    world.clock.nowMs += HOUR;
    const path = await aSchedule();
    await archiveWorkspace(world.deps, { actor: anAdmin, workspace: world.workspace });
    await work(world);
    expect(await statesOf(path)).toEqual(["canceled"]);
    await passUntil(nextHour() + MINUTE);
    expect(await statesOf(path)).toEqual(["canceled"]);
    await setWorkspaceArchived(world.deps, world.workspace, false);
    await passUntil(world.clock.nowMs + 16 * MINUTE);
    expect(await statesOf(path)).toEqual(["canceled", "queued"]);
    await deleteWorkspace(world.deps, world.workspace, "ann@example.com");
    for (let round = 0; round < 4; round += 1) {
      world.clock.nowMs += 30 * MINUTE;
      await housekeep(world);
    }
    expect(await world.deps.objects.get(scheduleObject.key(world.workspace, path))).toBeUndefined();
    expect(await world.deps.jobs.getChild(toNextRunId(world.workspace, path), "schedule")).toBeUndefined();
  });
});
