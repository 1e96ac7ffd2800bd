import { createHash } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import type { Kind } from "../../contract/kinds/kind.ts";
import { kinds, kindsWith } from "../../contract/kinds/kinds.ts";
import type { AuditJson, AuditQuery } from "../../contract/routes/workspaces/audit.ts";
import { auditSchema } from "../../contract/routes/workspaces/audit.ts";
import { defineObject, inWorkspace } from "../objects/define-object.ts";

/** The operations (api.md §3.9) whose names derive neither from the action nor from the kind of its object. Existing clients filter the log by them. */
export const operationNames: Readonly<Record<string, string>> = {
  "tokens.create": "users.token.create",
  "tokens.delete": "users.token.delete",
  "tokens.updateScopes": "users.token.update_scopes",
  "tokens.updateLabel": "users.token.update_label",
  "tokens.impersonate": "users.impersonate",
  "users.refreshToken": "users.token.refresh",
  "users.setPassword": "users.setpassword",
  "users.createGlobal": "users.add_global",
  "users.updateGlobal": "users.update",
  "users.deleteGlobal": "users.delete",
  "schedules.update": "schedule.edit",
  "schedules.setEnabled": "schedule.setenabled",
  "workspaces.addUser": "users.add_to_workspace",
  "workspaces.editAutoInvite": "workspaces.edit_auto_invite_domain",
  "workspaces.changeName": "workspaces.update",
  "workspaces.changeColor": "workspaces.update",
  "scripts.createSnapshot": "scripts.create",
  "scripts.archiveByPath": "scripts.archive",
  "scripts.archiveByHash": "scripts.archive",
  "scripts.deleteByPath": "scripts.delete",
  "scripts.deleteByHash": "scripts.delete",
  "flows.updateByHash": "flows.update",
  "variables.get": "variables.decrypt_secret",
  "variables.getValue": "variables.decrypt_secret",
  "resources.updateValue": "resources.update",
  "groups.update": "group.edit",
  "groups.addUser": "group.adduser",
  "groups.removeUser": "group.removeuser",
  "instanceGroups.create": "igroup.create",
  "instanceGroups.update": "igroup.edit",
  "instanceGroups.delete": "igroup.delete",
  "instanceGroups.addUser": "igroup.adduser",
  "instanceGroups.removeUser": "igroup.removeuser",
  "instanceGroups.overwrite": "igroup.overwrite",
  "jobs.cancelSelection": "jobs.cancel",
  "jobs.cancelPersistent": "jobs.cancel",
  "jobs.deleteCompleted": "jobs.delete",
};

/** Returns the operation of an action in the audit log: `scripts.archiveByPath` is `scripts.archive`, `flows.listPaths` `flows.list_paths`. */
export const toOperation = (action: string) =>
  operationNames[action] ?? renameKind(action).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The beginnings of the names of actions, by the kinds whose operations begin with another word. */
const renamed = kindsWith("operations").map((kind) => {
  const { domain, routeNames = domain, operations }: Kind = kinds[kind];
  return { from: `${routeNames}.`, to: `${operations}.` };
});

function renameKind(action: string): string {
  const found = renamed.find(({ from }) => action.startsWith(from));
  return found ? `${found.to}${action.slice(found.from.length)}` : action;
}

/** Returns the audit kind of an action, derived from its verb and the HTTP method. */
export function toActionKind(action: string, method: string): AuditJson["action_kind"] {
  const verb = action.split(".")[1] ?? "";
  if (method === "DELETE" || /^(delete|remove|archive|leave|decline)/.test(verb)) return "Delete";
  if (/^(create|add|invite|accept|impersonate)/.test(verb)) return "Created";
  return "Updated";
}

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
