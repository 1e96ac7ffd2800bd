import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { NewSchedule } from "../../contract/routes/schedules/schedule.ts";
import { hasEnded, type Job, type QueuedJob } from "../../core/jobs/record/job.ts";
import { scheduleOutcomesObject } from "../../core/outcome-handlers/schedule-outcomes.ts";
import { scheduleObject, storedScheduleSchema } from "../../core/schedules/schedule.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { failure, success, type World } from "../../test/support/use-cases/world.ts";
import { addJob, addScript, passLease, work } from "../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { addSchedule, addScriptAt, newScheduleWorld } from "../../test/support/use-cases/world-schedules.ts";
import { handleJobMessage } from "../execution/handle-job-message.ts";
import { cancelJob } from "../jobs/cancel/cancel-job.ts";
import { loadJson } from "../jobs/values/values.ts";
import { deleteSchedule } from "../schedules/save.ts";
import { setWorkspaceHandler } from "../workspaces/handlers.ts";

const [ALARM, RECOVERED, DONE] = ["f/ops/alarm", "f/ops/recovered", "f/ops/done"];
let world: World;
let hash: string;
let isFailing = false;
beforeAll(async () => {
  world = await newScheduleWorld();
  ({ hash } = await addScript(world));
  for (const path of [ALARM, RECOVERED, DONE]) await addScriptAt(world, path);
  world.answers.run = async ({ env }) => {
    if (env["WM_JOB_PATH"] !== "f/ops/hello") return success(null);
    return isFailing ? failure("no disk") : success({ rows: 3 });
  };
});
beforeEach(() => {
  world.clock.nowMs += 1000;
});

// The tests create the runs of these schedules.
const schedule = (fields: Partial<NewSchedule>) => addSchedule(world, { enabled: false, ...fields });
const addRun = (path: string, fields: Partial<QueuedJob> = {}) => addJob(world, { hash, schedulePath: path, ...fields });

/** Ends a run of a schedule well or not. Returns the record of the run. */
async function end(path: string, succeeds: boolean, fields: Partial<QueuedJob> = {}): Promise<QueuedJob> {
  const job = await addRun(path, fields);
  isFailing = !succeeds;
  await handleJobMessage(world.deps, { job: job.id, hash });
  await work(world);
  return job;
}
const handlersOf = async (id: string): Promise<Job[]> => {
  const { entries } = await world.deps.jobs.list({ index: "parent", partition: id, limit: 100 });
  return world.deps.jobs.batchGet(entries.map((entry) => entry.id));
};
/** The handlers that follow a run, with their arguments. */
const callsOf = async ({ id }: Pick<Job, "id">) => {
  const calls = await Promise.all(
    (await handlersOf(id)).map(async (job) => [job.path, await loadJson(world.deps, job, job.args)] as const),
  );
  return Object.fromEntries(calls);
};
const error = { name: "Error", message: "no disk" };

describe("the handlers of a schedule", () => {
  it("are called with what happened, as the user for whom the schedule runs", async () => {
    const path = await schedule({
      on_failure: `script/${ALARM}`,
      on_failure_times: 2,
      on_failure_extra_args: { channel: "ops" },
      on_recovery: `script/${RECOVERED}`,
      on_recovery_extra_args: { channel: "all" },
      on_success: `script/${DONE}`,
      on_success_extra_args: { n: 1 },
    });
    const common = { path: "f/ops/hello", is_flow: false, schedule_path: path };
    const started_at = () => new Date(world.clock.nowMs).toISOString();
    expect(await callsOf(await end(path, false))).toEqual({});
    const failed = await end(path, false);
    expect(await callsOf(failed)).toEqual({ [ALARM]: { channel: "ops", ...common, error, started_at: started_at(), failed_times: 2 } });
    expect(await handlersOf(failed.id)).toMatchObject([
      { permissionedAs: "u/ann", email: "ann@example.com", isHandler: true, state: "succeeded" },
    ]);
    const error_started_at = started_at();
    world.clock.nowMs += 1000;
    const succeeded = { success_times: 1, success_result: { rows: 3 }, success_started_at: started_at() };
    expect(await callsOf(await end(path, true))).toEqual({
      [RECOVERED]: { channel: "all", ...common, ...succeeded, error, error_started_at },
      [DONE]: { n: 1, ...common, ...succeeded, error, error_started_at },
    });
    expect(await callsOf(await end(path, true))).toEqual({ [DONE]: { n: 1, ...common, ...succeeded } });
  });

  it("need a failed run before a success is counted", async () => {
    const path = await schedule({ on_failure: `script/${ALARM}`, on_recovery: `script/${RECOVERED}`, on_recovery_times: 2 });
    const { id } = await end(path, true);
    expect(await world.deps.jobs.get(id)).not.toHaveProperty("outcomeCount");
    const calls = [];
    for (const succeeds of [false, true, true, true]) calls.push(Object.keys(await callsOf(await end(path, succeeds))));
    expect(calls).toEqual([[ALARM], [], [RECOVERED], []]);
    const stored = storedScheduleSchema.parse((await world.deps.objects.get(scheduleObject.key(world.workspace, path)))?.value);
    expect(await world.deps.objects.get(scheduleOutcomesObject.key(world.workspace, stored.id))).toBeUndefined();
  });

  it("follow a canceled run as a failure, and ignore other runs of the script", async () => {
    const path = await schedule({ on_failure: `script/${ALARM}` });
    const canceled = await addRun(path);
    await cancelJob(world.deps, canceled, { by: "ann", reason: "" });
    await work(world);
    expect(await callsOf(canceled)).toMatchObject({ [ALARM]: { error: { name: "Canceled" }, failed_times: 1 } });
    const other = await addJob(world, { hash });
    await handleJobMessage(world.deps, { job: other.id, hash });
    await work(world);
    expect(await callsOf(other)).toEqual({});
  });

  it("mute the workspace's error handler only with ws_error_handler_muted", async () => {
    await setWorkspaceHandler(world.deps, world.workspace, "error_handler", { path: ALARM });
    const calls = [];
    for (const muted of [false, true]) {
      const path = await schedule({ ws_error_handler_muted: muted, on_failure: `script/${DONE}` });
      calls.push(Object.keys(await callsOf(await end(path, false))).sort());
    }
    await setWorkspaceHandler(world.deps, world.workspace, "error_handler", {});
    expect(calls).toEqual([[ALARM, DONE], [DONE]]);
  });

  it("are not called if the user for whom the schedule runs may not run them, or the schedule is gone", async () => {
    const path = await schedule({ on_failure: `script/${ALARM}` });
    const key = scheduleObject.key(world.workspace, path);
    const found = await world.deps.objects.get(key);
    const stored = storedScheduleSchema.parse(found?.value);
    const stranger = { email: "eve@example.com", permissionedAs: "u/eve", superAdmin: false };
    await world.deps.objects.put({ ...key, value: { ...stored, ...stranger }, version: found?.version });
    expect(await callsOf(await end(path, false))).toEqual({});
    const run = await addRun(path);
    await deleteSchedule(world.deps, { actor: anAdmin, workspace: world.workspace, path });
    isFailing = true;
    await handleJobMessage(world.deps, { job: run.id, hash });
    await work(world);
    expect(await callsOf(run)).toEqual({});
  });

  it("are called once, and the run is counted once, whichever write fails", async () => {
    await expectToSurviveFaults(async () => {
      const path = await schedule({ on_failure: `script/${ALARM}`, on_failure_times: 2, on_failure_exact: true });
      await end(path, false);
      const job = await addRun(path);
      return {
        act: async () => {
          isFailing = true;
          await handleJobMessage(world.deps, { job: job.id, hash });
          await work(world);
        },
        recover: () => passLease(world, 3),
        check: async () => {
          const handlers = await handlersOf(job.id);
          expect(handlers.map((handler) => [handler.path, hasEnded(handler)])).toEqual([[ALARM, true]]);
          // Another failure is the third one.
          expect(await callsOf(await end(path, false))).toEqual({});
          const { id } = storedScheduleSchema.parse((await world.deps.objects.get(scheduleObject.key(world.workspace, path)))?.value);
          expect(await world.deps.objects.get(scheduleOutcomesObject.key(world.workspace, id))).toMatchObject({ value: { failures: 3 } });
        },
      };
    });
  });

  it("count two runs that end at the same time", async () => {
    const path = await schedule({ on_failure: `script/${ALARM}`, on_failure_times: 2, on_failure_exact: true });
    const runs = [await addRun(path), await addRun(path)];
    isFailing = true;
    await Promise.all(runs.map(({ id }) => handleJobMessage(world.deps, { job: id, hash })));
    await Promise.all(runs.map(({ id }) => world.deps.startFollowUps(id)));
    const calls = await Promise.all(runs.map(callsOf));
    expect(calls.flatMap((call) => Object.keys(call))).toEqual([ALARM]);
  });
});
