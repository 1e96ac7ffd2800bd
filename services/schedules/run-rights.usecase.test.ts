import { afterEach, beforeEach, expect, it } from "vitest";
import { scriptHeadObject } from "../../core/scripts/version.ts";
import { openScheduleTests } from "../../test/support/use-cases/cases/schedule-tests.ts";
import { success } from "../../test/support/use-cases/world.ts";
import { addScriptAt } from "../../test/support/use-cases/world-schedules.ts";
import { addMember } from "../workspaces/add-member.ts";
import { removeMember } from "../workspaces/members.ts";

const { world, removeSchedules, runsOf, passUntil, aSchedule, load, nextHour } = await openScheduleTests();
const admin = { email: "eve@example.com", username: "eve", is_admin: true, operator: false };
const behalf = { onBehalfOf: { email: admin.email, permissionedAs: "u/eve" } };
beforeEach(async () => {
  world.answers.run = async () => success(1);
  await addMember(world.deps, world.workspace, admin, { inherits: true });
});
afterEach(async () => {
  await removeMember(world.deps, world.workspace, admin.username).catch(() => undefined);
  await removeSchedules();
});

/** The states of the run at the next tick, and the number of scripts that ran. */
async function tick(path: string) {
  const [tickMs, ranBefore] = [nextHour(), world.runs.length];
  await passUntil(tickMs);
  const job = (await runsOf(path)).find(({ scheduledForMs }) => scheduledForMs === tickMs);
  return { state: job?.state, result: JSON.stringify(job && "result" in job ? job.result : null), ran: world.runs.length - ranBefore };
}

it("a run of a schedule acts for the user of its script, and fails at the tick if that user was removed, and the schedule continues", async () => {
  await addScriptAt(world, "f/ops/behalf", behalf);
  const path = await aSchedule({ script_path: "f/ops/behalf" });
  expect(await tick(path)).toMatchObject({ state: "succeeded", ran: 1 });
  await removeMember(world.deps, world.workspace, admin.username);
  world.clock.nowMs += 60_000;
  const { state, result, ran } = await tick(path);
  expect({ state, ran }).toEqual({ state: "failed", ran: 0 });
  expect(result).toContain("PermissionLost");
  expect(await load(path)).toMatchObject({ enabled: true });
});

it("a run of a schedule that was created before the delegation was withdrawn runs as the user of the schedule", async () => {
  await addScriptAt(world, "f/ops/withdrawn", behalf);
  const path = await aSchedule({ script_path: "f/ops/withdrawn" });
  const [waiting] = await runsOf(path);
  expect(waiting).toMatchObject({ state: "queued", email: admin.email, delegatedBy: { path: "f/ops/withdrawn" } });
  await addScriptAt(world, "f/ops/withdrawn");
  expect(await tick(path)).toMatchObject({ state: "succeeded", ran: 1 });
  const [ended] = await runsOf(path);
  expect(ended).toMatchObject({ email: "ann@example.com" });
  expect(ended?.delegatedBy).toBeUndefined();
});

it("a schedule is turned off at the tick if its script was deleted", async () => {
  await addScriptAt(world, "f/ops/gone", behalf);
  const path = await aSchedule({ script_path: "f/ops/gone" });
  await world.deps.objects.deleteItem(scriptHeadObject.key(world.workspace, "f/ops/gone"));
  expect(await tick(path)).toMatchObject({ state: "canceled", ran: 0 });
  expect(await load(path)).toMatchObject({ enabled: false });
});
