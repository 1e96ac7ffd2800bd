import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ScheduleChange } from "../../contract/routes/schedules/schedule.ts";
import type { JobActor } from "../../core/people/actor.ts";
import { Cloud } from "../../test/support/use-cases/aws/cloud.ts";
import { echo } from "../../test/support/use-cases/cases/flow-modules.ts";
import { openScheduleTests } from "../../test/support/use-cases/cases/schedule-tests.ts";
import { success } from "../../test/support/use-cases/world.ts";
import { addFlow } from "../../test/support/use-cases/world-flows.ts";
import { work } from "../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { addScriptAt, aScheduleRequest } from "../../test/support/use-cases/world-schedules.ts";
import { createSchedule, deleteSchedule, setScheduleEnabled, updateSchedule } from "./save.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const { world, removeSchedules, runsOf, passUntil, aSchedule, load, nextHour } = await openScheduleTests();
await addFlow(world, "f/ops/flow", [echo("a", "1")]);
await addFlow(world, "f/ops/long", [
  echo("a", "1"),
  { ...echo("b", "1"), suspend: { required_events: 1, timeout: 24 * 3600 } },
  echo("c", "1"),
]);
await addScriptAt(world, "f/ops/other");
beforeEach(() => {
  world.clock.nowMs = nextHour();
});
afterEach(removeSchedules);

const firstSchedule = { schedule: "0 0 * * * *", timezone: "UTC", args: { a: 1 } };

/** The caller behind the token of a run. */
const asJob = (jobId: string): JobActor => ({
  ...anAdmin,
  kind: "job",
  jobId,
  attempt: 1,
  workspace: world.workspace,
  permissionedAs: "u/ann",
});

interface Own {
  path: string;
  caller: { actor: JobActor; workspace: string; path: string };
  /** The fields that name the script or flow of the schedule. */
  target: { script_path: string; is_flow: boolean; no_flow_overlap?: boolean };
}
const { deps } = world;
const update = ({ caller, target }: Own, change: Partial<ScheduleChange>) =>
  updateSchedule(deps, caller, { ...firstSchedule, ...target, ...change });

/** The changes that a run makes to its schedule, and the minutes of the next hour in which the schedule runs. `waits`: a next run exists. */
const changes: Record<string, { change: (own: Own) => Promise<unknown>; ticks: number[]; args?: object; waits?: boolean }> = {
  "changes nothing": { change: async () => undefined, ticks: [60] },
  "saves it unchanged": { change: (own) => update(own, {}), ticks: [60] },
  "changes its time": { change: (own) => update(own, { schedule: "0 */40 * * * *" }), ticks: [40, 60] },
  "changes its arguments": { change: (own) => update(own, { args: { b: 2 } }), ticks: [60], args: { b: 2 } },
  "pauses it": {
    change: (own) => update(own, { paused_until: new Date(world.clock.nowMs + 2 * HOUR).toISOString() }),
    ticks: [],
    waits: true,
  },
  "allows that runs overlap": { change: (own) => update(own, { no_flow_overlap: false }), ticks: [60] },
  "forbids that runs overlap": { change: (own) => update(own, { no_flow_overlap: true }), ticks: [60] },
  "makes it run another script": { change: (own) => update(own, { script_path: "f/ops/other", is_flow: false }), ticks: [60] },
  "turns it off": { change: ({ caller }) => setScheduleEnabled(deps, caller, false), ticks: [] },
  "turns it off and on": {
    change: async ({ caller }) => {
      await setScheduleEnabled(deps, caller, false);
      await setScheduleEnabled(deps, caller, true);
    },
    ticks: [60],
  },
  "turns it on twice at once": {
    change: ({ caller }) => Promise.all([setScheduleEnabled(deps, caller, true), setScheduleEnabled(deps, caller, true)]),
    ticks: [60],
  },
  "deletes it": { change: ({ path }) => deleteSchedule(deps, { actor: anAdmin, workspace: world.workspace, path }), ticks: [] },
  "deletes it and creates it again": {
    change: async ({ path, caller, target }) => {
      await deleteSchedule(deps, { actor: anAdmin, workspace: world.workspace, path });
      await createSchedule(deps, caller, aScheduleRequest({ ...firstSchedule, path, ...target }));
    },
    ticks: [60],
  },
};

const targets: Record<string, Own["target"]> = {
  script: { script_path: "f/ops/hello", is_flow: false },
  "flow without overlap": { script_path: "f/ops/flow", is_flow: true, no_flow_overlap: true },
};

const ticksOf = async (path: string) => (await runsOf(path)).filter(({ step }) => step === undefined);

async function passTo(atMs: number, paths: readonly string[]): Promise<void> {
  await passUntil(atMs);
  for (const path of paths) {
    for (const { id, state, kind } of await ticksOf(path)) if (state === "running" && kind === "flow") await new Cloud(world).play(id);
  }
  await work(world);
}

describe.each(Object.entries(targets))("a run of a schedule of a %s", (_, target) => {
  it("may change its schedule, and each later tick happens once", async () => {
    const titles = new Map<string, string>();
    for (const title of Object.keys(changes)) titles.set(await aSchedule(aScheduleRequest({ ...firstSchedule, ...target })), title);
    const paths = [...titles.keys()];
    // The first run of each schedule makes its change. All runs use one script.
    world.answers.run = async ({ job: id }) => {
      const path = (await deps.jobs.get(id))?.schedulePath ?? "";
      const change = changes[titles.get(path) ?? ""]?.change;
      titles.delete(path);
      await change?.({ path, caller: { actor: asJob(id), workspace: world.workspace, path }, target });
      return success(1);
    };
    const named = new Map(titles);
    const tickMs = nextHour();
    for (const minute of [0, 40, 60]) await passTo(tickMs + minute * MINUTE, paths);
    for (const [path, title] of named) {
      const { ticks, args = { a: 1 }, waits = ticks.length > 0 } = changes[title] ?? expect.fail();
      const runs = await ticksOf(path);
      const found = runs.flatMap(({ state, scheduledForMs = 0, args: given }) =>
        state === "queued" ? [] : [{ state, minute: (scheduledForMs - tickMs) / MINUTE, args: given }],
      );
      const expected = [{ minute: 0, args: { a: 1 } }, ...ticks.map((minute) => ({ minute, args }))].map((tick) => ({
        state: "succeeded",
        minute: tick.minute,
        args: { in: "head", json: JSON.stringify(tick.args) },
      }));
      expect(found, title).toEqual(expected);
      expect(runs.filter(({ state }) => state === "queued").length, title).toBe(waits ? 1 : 0);
      if (waits) expect(await load(path), title).toMatchObject({ enabled: true });
    }
  });
});

it("a run that changes its schedule still does not overlap with the next one", async () => {
  const paths: Record<string, string> = {};
  const untold = new Map<string, string>();
  const target = { script_path: "f/ops/long", is_flow: true, no_flow_overlap: true };
  for (const title of ["saves it unchanged", "changes its time", "turns it off and on"]) {
    paths[title] = await aSchedule(aScheduleRequest({ ...firstSchedule, ...target }));
    untold.set(paths[title], title);
  }
  world.answers.run = async ({ job: id }) => {
    const path = (await deps.jobs.get(id))?.schedulePath ?? "";
    const title = untold.get(path) ?? "";
    untold.delete(path);
    await changes[title]?.change({ path, caller: { actor: asJob(id), workspace: world.workspace, path }, target });
    return success(1);
  };
  const tickMs = nextHour();
  const cloud = new Cloud(world);
  for (const hour of [0, 1, 2]) {
    await passUntil(tickMs + hour * HOUR);
    await cloud.playUntilQuiet();
  }
  for (const [title, path] of Object.entries(paths)) {
    const states = (await ticksOf(path)).map(({ state }) => state);
    expect(
      states.filter((state) => state !== "skipped" && state !== "queued"),
      title,
    ).toEqual(["running"]);
  }
});
