import type { AuditJson, AuditQuery } from "../../contract/routes/audit.ts";

/** Where entries stand that concern no workspace; no workspace can be called so. */
export const INSTANCE = "-";

/** `scripts.archiveByPath` → `scripts.archive_by_path`, as lists are filtered by. */
export const operationOf = (action: string) => action.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export function actionKindOf(action: string, method: string): AuditJson["action_kind"] {
  const verb = action.split(".")[1] ?? "";
  if (method === "DELETE" || /^(delete|remove|archive|leave|decline)/.test(verb)) return "Delete";
  if (/^(create|add|invite|accept|impersonate)/.test(verb)) return "Created";
  return "Updated";
}

const among = (list: string | undefined, value: string) => list === undefined || list === "" || list.split(",").includes(value);

export function matchesAudit(entry: AuditJson, query: AuditQuery): boolean {
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
