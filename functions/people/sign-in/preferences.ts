import { preferenceRoutes as routes } from "../../../contract/routes/console/preferences.ts";
import { editPreferences, getPreferences } from "../../../services/console/preferences.ts";
import type { ApiRoutes } from "../../shared/edge/domain-api.ts";
import { on } from "../../shared/edge/edge.ts";
import { json } from "../../shared/reply/reply.ts";
import { deps } from "../deps.ts";

export const preferences: ApiRoutes = [
  on(routes.getPreferences, async ({ auth: { actor } }) => json(200, await getPreferences(deps, actor))),
  on(routes.editPreferences, async ({ auth: { actor }, body }) => json(200, await editPreferences(deps, actor, body))),
];
