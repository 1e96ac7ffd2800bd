import { auditRoutes as routes } from "../../contract/routes/workspaces/audit.ts";
import { paginate } from "../../core/objects/page.ts";
import { getAudit, listAudit } from "../../services/audit/audit.ts";
import type { ApiRoutes } from "../shared/domain-api.ts";
import { on } from "../shared/edge.ts";
import { json } from "../shared/reply.ts";
import { deps } from "./deps.ts";

export const audit: ApiRoutes = [
  on(routes.listAudit, async ({ params: { workspace }, query }) => json(200, paginate(await listAudit(deps, workspace, query), query))),
  on(routes.getAudit, async ({ params: { workspace, id } }) => json(200, await getAudit(deps, workspace, id))),
  on(routes.listInstanceAudit, async ({ query }) => json(200, paginate(await listAudit(deps, undefined, query), query))),
];
