import type { SyncOptions } from "../../core/sync/config.ts";
import type { ApiClient } from "../api/client.ts";
import type { Context } from "../context.ts";
import { throwProblems } from "../errors.ts";
import { findTarget, type Target } from "../profiles/target.ts";
import { loadArchive } from "./archive-store.ts";
import { lintFiles } from "./lint.ts";
import { openProject, type Project } from "./project.ts";
import {
  type LocalFiles,
  loadRules,
  parseLocal,
  type RemoteRules,
  readProjectFiles,
  readRemote,
  type Snapshot,
  toArchiveQuery,
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
  /** The names of the folders that the workspace has. */
  folders: ReadonlySet<string>;
}

export interface OpenedProject {
  project: Project;
  target: Target;
}

/** Opens the project of the current folder and its target. Nothing is called. Throws `UsageError`. */
export function openSyncProject(context: Context, options: SyncOptions = {}): OpenedProject {
  const { workspace, ...flags } = context.flags;
  const project = openProject(context.cwd, { ...options, workspace }, context.output);
  // A workspace of svc.yaml is neither a profile nor an id, so the flag has done its work.
  return { project, target: findTarget(project.entry === undefined ? context.flags : flags, project.configured) };
}

/** Reads both sides. Problems of files are reported before the first call. `lint`: also those that only `svc lint` finds. Throws `UsageError`. */
export async function openSession(context: Context, { project, target }: OpenedProject, { lint = false } = {}): Promise<SyncSession> {
  const files = readProjectFiles(project);
  const parsed = parseLocal(files, project, toLayout(project));
  throwProblems(lint ? lintFiles(project, parsed) : parsed.problems);
  const client = context.client(target);
  await client.get("/users/whoami");
  const [rules, entries] = await Promise.all([
    loadRules(client, project),
    loadArchive(client, project.root, toArchiveQuery(project.options)),
  ]);
  // Types of resources with files of their own are known only now.
  const hasFileTypes = Object.keys(rules.layout.fileTypes).length > 0;
  const { snapshot: local, problems } = hasFileTypes ? parseLocal(files, project, rules.layout) : parsed;
  throwProblems(problems);
  const { snapshot: remote, folders } = readRemote(entries, project, rules, files.files, context.output);
  return { project, target, client, rules, files, local, remote, folders };
}
