import { BEFORE_HEADER } from "../../contract/common.ts";
import { auditRoutes as routes } from "../../contract/routes/workspaces/audit.ts";
import { type AuditPage, listInstanceAudit } from "../../services/audit/audit.ts";
import { getWorkspaceAudit, listWorkspaceAudit } from "../../services/jobs/read/run-audit.ts";
import type { ApiRoutes } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { json } from "../shared/reply/reply.ts";
import { deps } from "./deps.ts";

const pageReply = ({ entries, before }: AuditPage) => json(200, entries, before === undefined ? {} : { [BEFORE_HEADER]: before });

export const audit: ApiRoutes = [
  on(routes.listAudit, async ({ params: { workspace }, query }) => pageReply(await listWorkspaceAudit(deps, workspace, query))),
  on(routes.getAudit, async ({ params: { workspace, id } }) => json(200, await getWorkspaceAudit(deps, workspace, id))),
  on(routes.listInstanceAudit, async ({ query }) => pageReply(await listInstanceAudit(deps, query))),
];
