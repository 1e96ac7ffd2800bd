import { INCOMPLETE_HEADER, searchRoutes as routes } from "../../contract/routes/console/search.ts";
import { searchObjects } from "../../services/search/search.ts";
import type { ApiRoutes } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { json } from "../shared/reply/reply.ts";
import { deps } from "./deps.ts";

export const search: ApiRoutes = [
  on(routes.search, async ({ auth: { actor }, params: { workspace }, query }) => {
    const { items, isComplete } = await searchObjects(deps, { actor, workspace }, query);
    return json(200, items, isComplete ? {} : { [INCOMPLETE_HEADER]: "true" });
  }),
];
