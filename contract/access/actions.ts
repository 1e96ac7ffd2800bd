import type { Action } from "./access-rule.ts";

/**
 * The checks that use cases make themselves, because they know the path only after a read. The route of the same name refers to the same
 * rule. They are separate from the routes, so that a function without HTTP routes loads no request schemas.
 */
export const actions = {
  readScript: {
    name: "scripts.getByPath",
    access: { domain: "scripts", verb: "read", need: "read", target: "path", hiddenAs: "script.notFound" },
  },
  saveScript: {
    name: "scripts.update",
    access: { domain: "scripts", verb: "write", need: "write", target: "path", hiddenAs: "script.notFound" },
  },
  runScript: {
    name: "jobs.run.scripts",
    access: { domain: "jobs", verb: "run", runs: "scripts", need: "run", target: "path", hiddenAs: "script.notFound" },
  },
  runFlow: {
    name: "jobs.run.flows",
    access: { domain: "jobs", verb: "run", runs: "flows", need: "run", target: "path", hiddenAs: "flow.notFound" },
  },
  runPreview: { name: "jobs.run.preview", access: { domain: "jobs", verb: "run", runs: "preview", need: "write", target: "none" } },
  saveFlow: { name: "flows.update", access: { domain: "flows", verb: "write", need: "write", target: "path", hiddenAs: "flow.notFound" } },
  readFlow: {
    name: "flows.get",
    access: { domain: "flows", verb: "read", need: "read", target: "path", hiddenAs: "flow.notFound" },
  },
  readApp: { name: "apps.get", access: { domain: "apps", verb: "read", need: "read", target: "path", hiddenAs: "app.notFound" } },
  saveVariable: {
    name: "variables.update",
    access: { domain: "variables", verb: "write", need: "write", target: "path", hiddenAs: "variable.notFound" },
  },
  saveResource: {
    name: "resources.update",
    access: { domain: "resources", verb: "write", need: "write", target: "path", hiddenAs: "resource.notFound" },
  },
  saveApp: { name: "apps.update", access: { domain: "apps", verb: "write", need: "write", target: "path", hiddenAs: "app.notFound" } },
  saveSchedule: {
    name: "schedules.update",
    access: { domain: "schedules", verb: "write", need: "write", target: "path", hiddenAs: "schedule.notFound" },
  },
  readVariable: {
    name: "variables.getValue",
    access: { domain: "variables", verb: "read", need: "read", target: "path", hiddenAs: "variable.notFound" },
  },
  readResource: {
    name: "resources.getValue",
    access: { domain: "resources", verb: "read", need: "read", target: "path", hiddenAs: "resource.notFound" },
  },
  updateMember: { name: "users.update", access: { domain: "users", verb: "write", need: "admin", target: "none" } },
  readFolder: {
    name: "folders.get",
    access: { domain: "folders", verb: "read", need: "read", target: "folder", hiddenAs: "folder.notFound" },
  },
  grantAccess: { name: "acls.add", access: { domain: "acls", verb: "write", need: "own", target: "object", hiddenAs: "access.notFound" } },
  downloadFile: { name: "files.download", access: { domain: "files", verb: "read", need: "read", target: "request" } },
  readJob: { name: "jobs.get", access: { domain: "jobs", verb: "read", need: "read", target: "job" } },
  /** A link shows a run to strangers: a reader cannot create one, nor can a script with its token. */
  shareJob: { name: "jobs.share", access: { domain: "jobs", verb: "write", need: "run", target: "job", personal: true } },
  cancelJob: { name: "jobs.cancel", access: { domain: "jobs", verb: "write", need: "run", target: "job", inArchive: true } },
  rerunJobs: { name: "jobs.rerun", access: { domain: "jobs", verb: "run", need: "read", target: "request" } },
  resumeFlow: { name: "approvals.resumeFlow", access: { domain: "approvals", verb: "write", need: "run", target: "job" } },
  createLinks: { name: "approvals.mint", access: { domain: "approvals", verb: "write", need: "run", target: "job" } },
  decide: { name: "approvals.consent", access: { domain: "approvals", verb: "write", need: "self", target: "job" } },
  readRun: { name: "approvals.run", access: { domain: "approvals", verb: "read", need: "read", target: "job" } },
} as const satisfies Record<string, Action>;
