import { scheduleRoutes as routes } from "../../contract/routes/schedules/schedules.ts";
import { createPathFilter } from "../../services/identity/permit.ts";
import { listSchedulesWithRuns } from "../../services/schedules/list-runs.ts";
import { getSchedule, listSchedules, previewTicks, scheduleExists } from "../../services/schedules/read.ts";
import { createSchedule, deleteSchedule, setScheduleEnabled, updateSchedule } from "../../services/schedules/save.ts";
import type { ApiRoutes } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { json, text, versioned } from "../shared/reply/reply.ts";
import { deps } from "./deps.ts";
import { warnOfWriters } from "./warn-of-writers.ts";

export const schedules: ApiRoutes = [
  on(routes.listSchedules, async ({ auth, params: { workspace }, query }) =>
    json(200, await listSchedules(deps, workspace, query, createPathFilter({ actor: auth.actor, workspace }, routes.getSchedule.access))),
  ),
  on(routes.listSchedulesWithJobs, async ({ auth, params: { workspace }, query }) =>
    json(
      200,
      await listSchedulesWithRuns(deps, workspace, query, createPathFilter({ actor: auth.actor, workspace }, routes.getSchedule.access)),
    ),
  ),
  on(routes.getSchedule, async ({ params: { workspace, path } }) => versioned(await getSchedule(deps, workspace, path))),
  on(routes.existsSchedule, async ({ params: { workspace, path } }) => json(200, await scheduleExists(deps, workspace, path))),
  on(routes.createSchedule, async ({ auth, params: { workspace }, body }) => {
    const caller = { actor: auth.actor, workspace };
    await createSchedule(deps, caller, body);
    return warnOfWriters(text(201, body.path), caller, async () => (await getSchedule(deps, workspace, body.path)).json);
  }),
  on(routes.updateSchedule, async ({ auth, params: { workspace, path }, body, expected }) => {
    const caller = { actor: auth.actor, workspace };
    await updateSchedule(deps, { ...caller, path, expected }, body);
    return warnOfWriters(text(200, path), caller, async () => (await getSchedule(deps, workspace, path)).json);
  }),
  on(routes.setScheduleEnabled, async ({ auth, params: { workspace, path }, body: { enabled }, expected }) => {
    await setScheduleEnabled(deps, { actor: auth.actor, workspace, path, expected }, enabled);
    return text(200, `The schedule ${path} is ${enabled ? "on" : "off"}.`);
  }),
  on(routes.deleteSchedule, async ({ auth, params: { workspace, path }, expected }) => {
    await deleteSchedule(deps, { actor: auth.actor, workspace, path, expected });
    return text(200, `The schedule ${path} was deleted.`);
  }),
  on(routes.previewSchedule, async ({ body: { schedule, timezone, cron_version } }) =>
    json(
      200,
      previewTicks({ schedule, timezone, cronVersion: cron_version ?? undefined }, deps.nowMs()).map((atMs) =>
        new Date(atMs).toISOString(),
      ),
    ),
  ),
];
