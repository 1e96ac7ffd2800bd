import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { anchorKey } from "../../aws/kms/anchor-key.ts";
import { BEFORE_HEADER } from "../../contract/common.ts";
import { approvalRecordRoutes as routes } from "../../contract/routes/approvals/approval-records.ts";
import { formatRecordCsv } from "../../core/approvals/record-csv.ts";
import { listAnchors, listAuditLog, verifyAuditLog } from "../../services/approvals/audit-log/read.ts";
import { on, type RouteHandler } from "../shared/edge/edge.ts";
import { json, text } from "../shared/reply/reply.ts";

const deps = { objects: objectTable, anchorKey };

export const auditLogRoutes: RouteHandler<unknown>[] = [
  on(routes.auditApprovals, async ({ params: { workspace }, query }) => {
    const page = await listAuditLog(deps, workspace, query);
    if (query.format !== "csv") return json(200, page);
    return text(200, formatRecordCsv(page.entries), {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": `attachment; filename="approvals-${workspace}.csv"`,
      ...(page.before ? { [BEFORE_HEADER]: page.before } : {}),
    });
  }),
  on(routes.verifyApprovals, async ({ params: { workspace }, query }) => json(200, await verifyAuditLog(deps, workspace, query))),
  on(routes.listAnchors, async ({ params: { workspace }, query }) => json(200, await listAnchors(deps, workspace, query.from))),
];
