import { createHash } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import type { AuditJson, AuditQuery } from "../../contract/routes/workspaces/audit.ts";
import { auditSchema } from "../../contract/routes/workspaces/audit.ts";
import { defineObject, inWorkspace } from "../objects/define-object.ts";

/**
 * Creates one audit entry for each secret that was read to resolve a job's arguments. The id is derived from job and path, so that a
 * repeated attempt writes the same entry.
 */
export function createSecretReadEntries(
  job: { id: string; workspace: string },
  username: string,
  paths: readonly string[],
  atMs: number,
): AuditJson[] {
  return paths.map((path) => ({
    workspace_id: job.workspace,
    id: uuidv7({ msecs: atMs, random: createHash("sha256").update(`${job.id}\n${path}`).digest() }),
    timestamp: new Date(atMs).toISOString(),
    username,
    operation: "variables.decrypt_secret",
    action_kind: "Execute",
    resource: path,
    parameters: { job: job.id },
  }));
}

const among = (list: string | undefined, value: string) => list === undefined || list === "" || list.split(",").includes(value);

/** Returns whether an audit entry matches all filters of a query. */
export function matchesAuditQuery(entry: AuditJson, query: AuditQuery): boolean {
  const atMs = Date.parse(entry.timestamp);
  return (
    (query.before === undefined || atMs <= Date.parse(query.before)) &&
    (query.after === undefined || atMs > Date.parse(query.after)) &&
    among(query.username, entry.username) &&
    among(query.operation, entry.operation) &&
    among(query.operations, entry.operation) &&
    (!query.exclude_operations || !among(query.exclude_operations, entry.operation)) &&
    among(query.resource, entry.resource ?? "") &&
    among(query.action_kind, entry.action_kind)
  );
}

export const auditEntryObject = defineObject({
  name: "audit entry",
  partition: "AUDIT",
  ...inWorkspace,
  sort: (id: string) => id,
  schema: auditSchema,
});
