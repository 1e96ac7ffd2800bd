import { appRoutes as routes } from "../../contract/routes/stored/apps.ts";
import { deleteApp } from "../../services/apps/delete.ts";
import { appExists, getApp, getAppVersion, listAppHistory, listApps } from "../../services/apps/read.ts";
import { createApp, updateApp } from "../../services/apps/save.ts";
import { loadListViewer } from "../../services/console/favorites.ts";
import type { ApiRoutes } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { json, text, versioned } from "../shared/reply/reply.ts";
import { deps } from "./deps.ts";

export const apps: ApiRoutes = [
  on(routes.listApps, async ({ auth, params: { workspace }, query }) =>
    json(
      200,
      await listApps(deps, workspace, query, await loadListViewer(deps, { actor: auth.actor, workspace }, "app", routes.listApps.access)),
    ),
  ),
  on(routes.existsApp, async ({ params: { workspace, path } }) => json(200, await appExists(deps, workspace, path))),
  on(routes.getApp, async ({ params: { workspace, path } }) => versioned(await getApp(deps, workspace, path))),
  on(routes.getAppVersion, async ({ auth, params: { workspace, version } }) =>
    json(200, await getAppVersion(deps, { actor: auth.actor, action: routes.getAppVersion, workspace }, version)),
  ),
  on(routes.appHistory, async ({ params: { workspace, path } }) => json(200, await listAppHistory(deps, workspace, path))),
  on(routes.createApp, async ({ auth, params: { workspace }, body }) =>
    text(201, await createApp(deps, { actor: auth.actor, workspace }, body)),
  ),
  on(routes.updateApp, async ({ auth, params: { workspace, path }, body, expected }) =>
    json(200, await updateApp(deps, { actor: auth.actor, workspace, path, expected }, body)),
  ),
  on(routes.deleteApp, async ({ auth, params: { workspace, path }, expected }) => {
    await deleteApp(deps, { actor: auth.actor, workspace, path, expected });
    return text(200, `The app ${path} was deleted.`);
  }),
];
