import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { HISTORY_EVENTS } from "../../../core/flows/history/history-events.ts";
import { hasEnded } from "../../../core/jobs/record/job.ts";
import { disturbances, MARK, newDisturbedWorld, playDisturbed, playWaitingForSlot } from "../../../test/support/flows/disturbed-flows.ts";
import { expectEach, known, smallFlow } from "../../../test/support/flows/random-runs.ts";
import { startWitness, type Witness } from "../../../test/support/jobs/witness.ts";
import type { World } from "../../../test/support/use-cases/world.ts";
import { listJobs, passTime } from "../../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../../test/support/use-cases/world-people.ts";
import { listPendingApprovals } from "../../approvals/page/list-pending-approvals.ts";

let world: World;
let witness: Witness;
beforeAll(async () => {
  [world, witness] = await Promise.all([newDisturbedWorld(), startWitness()]);
});
afterAll(() => witness?.close());

const STATES = { success: "succeeded", failure: "failed", skipped: "skipped" };
const FLOW_DELETED = { error: { name: "FlowDeleted", message: "The flow was deleted while it ran." } };

const drawn = fc
  .record({
    flow: smallFlow,
    traits: fc.array(fc.nat(29), { minLength: 7, maxLength: 7 }),
    at: fc.constantFrom("call" as const, "call" as const, "state" as const, "state" as const, "wait" as const),
    part: fc.integer({ min: 0, max: 99 }).map((percent) => percent / 100),
    // The history of the first execution may be almost full, so that another one continues its loops.
    events: fc.constantFrom(0, HISTORY_EVENTS - 100),
    title: fc.constantFrom(...Object.keys(disturbances)),
  })
  // In parallel lists, the steps that have begun at the moment of a disturbance depend on the clock.
  .filter(({ flow, title }) => disturbances[title]?.effect !== "missing" || !JSON.stringify(flow).includes('"parallel":true'));

/** Each disturbance must affect some of the runs. */
const struck = new Map<string, number>();

it("a flow that is disturbed at any moment ends once, as the independent interpreter says", { timeout: 600_000 }, async () => {
  const runs = new Map<string, string>();
  await expectEach(drawn, { count: 15, atOnce: 1 }, async ({ flow, traits, at, part, events, title }) => {
    const disturbance = disturbances[title] ?? expect.fail();
    const played = await playDisturbed({ world, witness }, { flow, traits, moment: { at, part }, disturbance, events });
    const { state, result, calls, left, cancel, expected, struckAfter, run } = played;
    runs.set(run, title);
    if (struckAfter !== undefined) struck.set(`${title}, ${at}`, (struck.get(`${title}, ${at}`) ?? 0) + 1);
    expect(left).toEqual([]);
    const interpreted = Object.fromEntries(expected.calls);
    const effect = struckAfter === undefined ? "none" : disturbance.effect;
    const isDeleted = effect === "none or deleted" && JSON.stringify(result) === JSON.stringify(FLOW_DELETED);
    if (effect === "canceled" || isDeleted) {
      if (effect === "canceled") expect({ state, cancel }).toMatchObject({ state: "canceled", cancel: MARK });
      for (const [path, times] of Object.entries(calls)) expect(times).toBeLessThanOrEqual(interpreted[path] ?? 0);
    } else {
      expect({ state, result: known(result), calls }).toEqual({
        state: STATES[expected.state],
        result: known(expected.result),
        calls: interpreted,
      });
    }
  });
  const open = (await listJobs(world)).filter((job) => !hasEnded(job)).map((job) => [runs.get(job.root ?? job.id), job.kind, job.state]);
  expect(open).toEqual([]);
  // Later ticks of housekeeping start nothing, and no approval is pending.
  const before = [world.started.length, world.runs.length, world.deliveries.length];
  await passTime(world, 3);
  expect([world.started.length, world.runs.length, world.deliveries.length]).toEqual(before);
  expect(await listPendingApprovals(world.deps, { actor: anAdmin, workspace: world.workspace }, {})).toEqual({ approvals: [] });
  if (process.env["SVC_TEST_FLOWS"]) console.info(struck);
});

/** The job of the step was accepted earlier, so it runs the version that it names. */
it.each<[string, object]>([
  ["the run is canceled", { state: "canceled", cancel: MARK, calls: 1 }],
  ["the run is canceled twice at once", { state: "canceled", cancel: MARK, calls: 1 }],
  ["the job of a step is canceled", { state: "canceled", cancel: MARK, calls: 1 }],
  ["the script is deleted", { state: "succeeded", result: "done", calls: 2 }],
  ["the script is archived", { state: "succeeded", result: "done", calls: 2 }],
  ["the script is moved", { state: "succeeded", result: "done", calls: 2 }],
])("while a step waits for a slot, %s, and the run ends once", async (title, expected) => {
  const disturbance = disturbances[title] ?? expect.fail();
  expect(await playWaitingForSlot({ world, witness }, disturbance)).toMatchObject({ ...expected, left: [] });
});
