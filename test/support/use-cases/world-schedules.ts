import { randomUUID } from "node:crypto";
import { type NewSchedule, newScheduleSchema } from "../../../contract/routes/schedules/schedule.ts";
import { scriptHeadObject } from "../../../core/scripts/version.ts";
import { createSchedule } from "../../../services/schedules/save.ts";
import type { World } from "./world.ts";
import { addScript } from "./world-jobs.ts";
import { newWorldWithFolder } from "./world-objects.ts";
import { anAdmin } from "./world-people.ts";

/** A world with the folder `f/t` and the built script `f/ops/hello` at its path. */
export async function newScheduleWorld(): Promise<World> {
  const world = await newWorldWithFolder();
  await addScriptAt(world, "f/ops/hello");
  return world;
}

/** Adds a built script as the newest version at a path. */
export async function addScriptAt(world: World, path: string, fields: Parameters<typeof addScript>[1] = {}): Promise<{ hash: string }> {
  const { build, ...value } = await addScript(world, { ...fields, path });
  await world.deps.objects.put({ ...scriptHeadObject.key(world.workspace, path), value, build, version: value.hash });
  return { hash: value.hash };
}

/** The body of `schedules/create` for a new path: each minute, in UTC. */
export const aScheduleRequest = (fields: Partial<NewSchedule> = {}): NewSchedule =>
  newScheduleSchema.parse({
    path: `f/t/${randomUUID()}`,
    schedule: "0 * * * * *",
    timezone: "UTC",
    script_path: "f/ops/hello",
    is_flow: false,
    args: {},
    ...fields,
  });

/** Saves a schedule as an admin, and returns its path. */
export async function addSchedule({ deps, workspace }: World, fields: Partial<NewSchedule> = {}): Promise<string> {
  const request = aScheduleRequest(fields);
  await createSchedule(deps, { actor: anAdmin, workspace }, request);
  return request.path;
}
