import { mentionRoutes as routes } from "../../contract/routes/console/mentions.ts";
import { INCOMPLETE_HEADER } from "../../contract/routes/console/search.ts";
import { listMentions } from "../../services/search/list-mentions.ts";
import type { ApiRoutes } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { json } from "../shared/reply/reply.ts";
import { deps } from "./deps.ts";

export const mentions: ApiRoutes = [
  on(routes.listMentions, async ({ auth: { actor }, params: { workspace, kind, path } }) => {
    const { items, isComplete } = await listMentions(deps, { actor, workspace }, { kind, path });
    return json(200, items, isComplete ? {} : { [INCOMPLETE_HEADER]: "true" });
  }),
];
