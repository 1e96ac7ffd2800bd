import { defined } from "../../contract/defined.ts";
import { viewRoutes as routes } from "../../contract/routes/console/views.ts";
import { createView, deleteView, listViews, updateView } from "../../services/console/views.ts";
import type { ApiRoutes } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { json, text } from "../shared/reply/reply.ts";
import { deps } from "./deps.ts";

export const views: ApiRoutes = [
  on(routes.listViews, async ({ auth: { actor }, params: { workspace } }) => json(200, await listViews(deps, { actor, workspace }))),
  on(routes.createView, async ({ auth: { actor }, params: { workspace }, body }) =>
    text(201, await createView(deps, { actor, workspace }, body)),
  ),
  on(routes.updateView, async ({ auth: { actor }, params: { workspace, id }, body }) => {
    await updateView(deps, { actor, workspace }, id, defined(body));
    return text(200, `The view ${id} was changed.`);
  }),
  on(routes.deleteView, async ({ auth: { actor }, params: { workspace, id } }) => {
    await deleteView(deps, { actor, workspace }, id);
    return text(200, `The view ${id} was deleted.`);
  }),
];
