import type { SyncOptions } from "../../core/sync/config.ts";
import type { ApiClient } from "../api/client.ts";
import type { Context } from "../context.ts";
import { throwProblems } from "../errors.ts";
import { findTarget, type Target } from "../profiles/target.ts";
import { openProject, type Project } from "./project.ts";
import {
  type LocalFiles,
  loadRemote,
  loadRules,
  parseLocal,
  type RemoteRules,
  readProjectFiles,
  type Snapshot,
  toLayout,
} from "./snapshots.ts";

/** Both sides of a synchronisation. */
export interface SyncSession {
  project: Project;
  target: Target;
  client: ApiClient;
  rules: RemoteRules;
  files: LocalFiles;
  local: Snapshot;
  remote: Snapshot;
}

/** Opens the project of the current folder and its target. Nothing is called. Throws `UsageError`. */
export function openSyncProject(context: Context, options: SyncOptions): { project: Project; target: Target } {
  const { workspace, ...flags } = context.flags;
  const project = openProject(context.cwd, { ...options, workspace }, context.output);
  // A workspace of svc.yaml is neither a profile nor an id, so the flag has done its work.
  return { project, target: findTarget(project.entry === undefined ? context.flags : flags, project.configured) };
}

/** Reads both sides. Problems of files are reported before the first call. Throws `UsageError`. */
export async function openSession(context: Context, options: SyncOptions): Promise<SyncSession> {
  const { project, target } = openSyncProject(context, options);
  const files = readProjectFiles(project);
  throwProblems(parseLocal(files, project, toLayout(project)).problems);
  const client = context.client(target);
  await client.get("/users/whoami");
  const rules = await loadRules(client, project);
  const { snapshot: local, problems } = parseLocal(files, project, rules.layout);
  throwProblems(problems);
  const remote = await loadRemote(client, project, rules, files.files, context.output);
  return { project, target, client, rules, files, local, remote };
}
