import { favoriteRoutes as routes } from "../../contract/routes/console/favorites.ts";
import { listFavorites, starObject, unstarObject } from "../../services/console/favorites.ts";
import type { ApiRoutes } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { json, text } from "../shared/reply/reply.ts";
import { deps } from "./deps.ts";

export const favorites: ApiRoutes = [
  on(routes.starObject, async ({ auth: { actor }, params: { workspace }, body: { path, favorite_kind: kind } }) => {
    await starObject(deps, { actor, workspace }, { kind, path });
    return text(200, `The ${kind} ${path} is starred.`);
  }),
  on(routes.unstarObject, async ({ auth: { actor }, params: { workspace }, body: { path, favorite_kind: kind } }) => {
    await unstarObject(deps, { actor, workspace }, { kind, path });
    return text(200, `The ${kind} ${path} is not starred.`);
  }),
  on(routes.listFavorites, async ({ auth: { actor }, params: { workspace } }) =>
    json(200, await listFavorites(deps, { actor, workspace })),
  ),
];
