import * as z from "zod";
import { inWorkspace, page, timestamp, workspaceId } from "../../common.ts";
import { defineRoute } from "../../route.ts";

const read = { method: "GET", fn: "people", auth: "token", status: 200 } as const;

const auditActionKind = z.enum(["Created", "Updated", "Delete", "Execute"]);
export const auditSchema = z.object({
  workspace_id: z.string(),
  id: z.string(),
  timestamp,
  username: z.string(),
  operation: z.string(),
  action_kind: auditActionKind,
  resource: z.string().optional(),
  parameters: z.record(z.string(), z.string()).optional(),
});
export type AuditJson = z.output<typeof auditSchema>;
/** One request compares the members of a list with every entry. */
const names = z
  .string()
  .refine((list) => list.split(",").length <= 50, "at most 50 names")
  .optional();

export const auditQuery = z.object({
  ...page,
  before: timestamp.optional(),
  after: timestamp.optional(),
  username: names,
  operation: z.string().optional(),
  operations: z.string().optional(),
  exclude_operations: z.string().optional(),
  resource: names,
  action_kind: z.string().optional(),
});
export type AuditQuery = z.output<typeof auditQuery>;

const adminRead = { domain: "audit", verb: "read", need: "admin", target: "none" } as const;

export const auditRoutes = {
  listAudit: defineRoute({
    ...read,
    name: "audit.list",
    summary:
      "List the audited operations in a workspace, newest first. Runs are listed for as long as their jobs exist. A page that is not full carries " +
      "the header `x-svc-before` if more entries may match: send it as `before` to continue.",
    path: "/api/w/{workspace}/audit/list",
    access: adminRead,
    params: inWorkspace,
    query: auditQuery,
    reply: { json: z.array(auditSchema) },
    errors: [],
  }),
  getAudit: defineRoute({
    ...read,
    name: "audit.get",
    summary: "One entry.",
    path: "/api/w/{workspace}/audit/get/{id}",
    access: adminRead,
    params: z.object({ workspace: workspaceId, id: z.string().max(100) }),
    reply: { json: auditSchema },
    errors: ["audit.notFound"],
  }),
  listInstanceAudit: defineRoute({
    ...read,
    name: "audit.listGlobal",
    summary: "List the audited operations in the instance, newest first.",
    path: "/api/audit/list",
    access: { domain: "audit", verb: "read", need: "superadmin", target: "none" },
    query: auditQuery,
    reply: { json: z.array(auditSchema) },
    errors: [],
  }),
};
