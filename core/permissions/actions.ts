/**
 * What an action takes. `self`: any token. `member`: to be in the workspace. `read`, `run`, `write`, `own`: that right on the object.
 * `admin`: to administer the workspace. `superadmin`: the instance.
 */
export type Need = "self" | "member" | "read" | "run" | "write" | "own" | "admin" | "superadmin";

/** Actions whose name does not tell. */
const exceptions: Readonly<Record<string, Need>> = {
  "users.whoamiGlobal": "self",
  "users.email": "self",
  "users.refreshToken": "self",
  "workspaces.list": "self",
  "workspaces.exists": "self",
  "workspaces.mine": "self",
  "workspaces.create": "superadmin",
  "workspaces.delete": "superadmin",
  "workspaces.existsUsername": "self",
  "jobs.dbClock": "self",
  "tokens.create": "self",
  "tokens.list": "self",
  "tokens.listScopes": "self",
  "tokens.delete": "self",
  "tokens.updateScopes": "self",
  "tokens.updateLabel": "self",
  "tokens.impersonate": "superadmin",
  // One of them is for everybody: its handler looks which.
  "settings.getGlobal": "self",
  "users.setPassword": "self",
  "users.acceptInvite": "self",
  "users.declineInvite": "self",
  "users.listInvites": "self",
  "users.leaveWorkspace": "self",
  "users.isOwnerOfPath": "member",
  "instanceGroups.list": "self",
  "instanceGroups.get": "self",
  "users.update": "admin",
  "users.delete": "admin",
  "workspaces.getWorkspaceName": "member",
  "workspaces.getPublicSettings": "member",
  "workspaces.listWsSpecific": "member",
  "workspaces.tarball": "member",
  // Its handler knows only the job's id: whose job it is, is asked once it is read.
  "jobs.startedAtByIds": "read",
  "jobs.updateStream": "read",
  "jobs.updateStream.alias": "read",
  "resources.types.list": "member",
  "resources.types.listNames": "member",
  "resources.types.get": "member",
  "resources.types.exists": "member",
  // Who may stop a run may let it go on.
  "approvals.mint": "run",
  "approvals.mintSignature": "run",
  "approvals.resumeFlow": "run",
  "approvals.notify": "run",
  "approvals.run": "read",
  "approvals.pending": "member",
  // Who may decide is for the gate to say.
  "approvals.decide": "self",
  "approvals.consent": "self",
  "approvals.getRun": "self",
  "jobs.setProgress": "run",
  "jobs.setUserState": "run",
  "jobs.cancelSelection": "run",
  "jobs.startNow": "run",
  "jobs.cancel": "run",
  "jobs.forceCancel": "run",
  "approvals.getWebhookSecret": "admin",
  "approvals.rotateWebhookSecret": "admin",
  // Reading them is what it takes; running what they ran is asked as well.
  "jobs.rerun": "read",
  "jobs.run.preview": "write",
  "jobs.runWait.preview": "write",
  "jobs.runWait.previewFlow": "write",
  "jobs.run.previewFlow": "write",
  // What it answers shows the file to whoever gets it: as reading it does.
  "files.sign": "read",
  "files.testConnection": "read",
  "folders.update": "own",
  "folders.delete": "own",
  "folders.addOwner": "own",
  "folders.removeOwner": "own",
  "groups.update": "own",
  "groups.delete": "own",
  "groups.addUser": "own",
  "groups.removeUser": "own",
  "acls.add": "own",
  "acls.remove": "own",
  // Who decided what, in every run of the workspace.
  "approvals.audit": "admin",
  "approvals.verify": "admin",
  "approvals.anchors": "admin",
};

const READS =
  /^(get|list|exists|count|raw|history|latest|whois|whoami|is|usernameTo|webhooks|deployment|file|download|preview|usage|search|export|email|mine|dbClock|audit|verify|anchors)/;

/** `resources.types.list` is listing: what stands between a domain and its verb is a part of the domain. */
const partsOf = (action: string) => action.replace(".types.", ".").split(".");

/** Actions that concern no workspace and are not named above belong to who administers the instance. */
export function needOf(action: string, inWorkspace: boolean): Need {
  const exception = exceptions[action];
  if (exception) return exception;
  if (!inWorkspace) return "superadmin";
  const [domain = "", verb = ""] = partsOf(action);
  if (domain === "workspaces" || domain === "audit" || domain === "settings") return "admin";
  if (domain === "jobs" && /^(run|rerun|stream|restart)/.test(verb)) return "run";
  return READS.test(verb) ? "read" : "write";
}

/** What a scope calls an action: its domain and `read`, `write` or `run`, and for runs what is run. */
export function scopeNeed(action: string, inWorkspace: boolean): { domain: string; verb: "read" | "write" | "run"; runs?: string } {
  const [domain = "", verb = "", kind = ""] = partsOf(action);
  if (domain === "jobs" && /^(run|rerun|stream|restart)/.test(verb)) {
    const runs = /preview/i.test(kind) ? "preview" : /^(flow|fv)/.test(kind) ? "flows" : kind === "" ? "other" : "scripts";
    return { domain, verb: "run", runs };
  }
  const need = needOf(action, inWorkspace);
  const reads = need === "read" || need === "member" || READS.test(verb);
  return { domain, verb: reads ? "read" : "write" };
}

/**
 * Lists answer only what the caller may read, and what saves a new object knows its path from the body: both ask again,
 * for each path; what is named by an id or a hash asks once its path is read. Types of resources have no path to ask for.
 */
export const asksAgain = (action: string) =>
  (!/\.types\.(create|update)/.test(action) && /^(list|count|create|update|edit|exists|search)/.test(partsOf(action)[1] ?? "")) ||
  /^jobs\.(get|set|cancel|force|delete|start)|^approvals\.(mint|resumeFlow|notify|run)|ByHash$|^scripts\.deploymentStatus$/.test(action);

const kinds: Readonly<Record<string, string>> = {
  scripts: "script",
  flows: "flow",
  variables: "variable",
  resources: "resource",
  schedules: "schedule",
  apps: "app",
};
/** The kind under which an object's extra permissions stand (api.md §3.5). A run needs those of what it runs. */
export function kindOf(action: string): string {
  const [domain = "", , what = ""] = action.split(".");
  return domain === "jobs" ? (/^(flow|fv)/.test(what) ? "flow" : "script") : (kinds[domain] ?? "");
}
