import { afterAll, expect, it } from "vitest";
import { openScheduleTests } from "../../test/support/use-cases/cases/schedule-tests.ts";
import { newIsolation, work } from "../../test/support/use-cases/world-jobs.ts";
import { periodicTasks, RESUME_DUE_JOBS } from "./periodic-tasks.ts";
import { type PeriodicTask, runPeriodicTasks } from "./run-periodic-tasks.ts";

const { world, removeSchedules, runsOf, aSchedule, nextHour } = await openScheduleTests();
// Housekeeping sends the runs that are more than 15 minutes away.
world.clock.nowMs = nextHour();
afterAll(removeSchedules);

const { deps } = world;
const tasksOf = (changed: Partial<typeof deps> = {}) => periodicTasks({ ...deps, ...changed, isolation: newIsolation(world) });

/** Runs one tick of housekeeping, and returns the names of the tasks that failed. */
async function tick(tasks: readonly PeriodicTask[], turn = 0): Promise<string[]> {
  const { failed } = await runPeriodicTasks(tasks, { untilMs: Number.POSITIVE_INFINITY, turn, onTaskFailed: () => undefined });
  return failed;
}

/** The ends of the runs that are due at the next hour, if this tick of housekeeping is the only one. */
async function runNextHour(paths: readonly string[], tasks: readonly PeriodicTask[], turn?: number) {
  const atMs = nextHour();
  world.clock.nowMs = atMs;
  const failed = await tick(tasks, turn);
  await work(world);
  const runs = (await Promise.all(paths.map(runsOf))).map((all) => all.find(({ scheduledForMs }) => scheduledForMs === atMs)?.state);
  return { failed, runs };
}

const others = tasksOf()
  .map(({ name }) => name)
  .filter((name) => name !== RESUME_DUE_JOBS);

it.each(others)("every due schedule ticks although the task %s of housekeeping fails", async (bad) => {
  const paths = [await aSchedule(), await aSchedule()];
  const failing = tasksOf().map((task) => (task.name === bad ? { ...task, run: () => Promise.reject(new Error("AccessDenied")) } : task));
  // The failing task is the first one of the tick, or the last one.
  const index = failing.findIndex(({ name }) => name === bad);
  for (const turn of [index, index + 1]) {
    expect(await runNextHour(paths, failing, turn)).toEqual({ failed: [bad], runs: ["succeeded", "succeeded"] });
  }
  await removeSchedules();
});

it("every due schedule ticks although the list of workspaces cannot be read for the task before it", async () => {
  const paths = [await aSchedule()];
  let calls = 0;
  const list: typeof deps.objects.list = async (...args) => {
    calls += 1;
    if (calls === 1) throw new Error("InternalServerError");
    return deps.objects.list(...args);
  };
  expect(await runNextHour(paths, tasksOf({ objects: { ...deps.objects, list } }))).toEqual({
    failed: ["recordEndedIndex"],
    runs: ["succeeded"],
  });
});
