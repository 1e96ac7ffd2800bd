import type { SyncOptions } from "../../core/sync/config/config.ts";
import { selectKinds } from "../../core/sync/select.ts";
import type { ApiClient } from "../api/client.ts";
import type { Bundle } from "../codebases/bundle.ts";
import type { Context } from "../context.ts";
import { formatProblem, throwProblems } from "../errors.ts";
import type { Target } from "../profiles/target.ts";
import { attachBundles, checkBundling, makeBundles } from "../project/bundles.ts";
import { lintFiles } from "../project/lint.ts";
import { openProject, type Project } from "../project/project.ts";
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
} from "../project/snapshots.ts";
import { leaveUnusable } from "../project/usable-items.ts";
import { loadArchive } from "./archive-store.ts";
import { readBase } from "./state.ts";

/** Both sides of a synchronisation. */
export interface SyncSession {
  project: Project;
  target: Target;
  client: ApiClient;
  rules: RemoteRules;
  files: LocalFiles;
  local: Snapshot;
  remote: Snapshot;
  /** Whether the local scripts of codebases have their bundles. */
  hasBundles: boolean;
  /** The names of the folders that the workspace has. */
  folders: ReadonlySet<string>;
}

export interface OpenedProject {
  project: Project;
  target: Target;
}

/** Opens the project of the current folder and its target. Nothing is called. Throws `UsageError`. */
export function openSyncProject(context: Context, options: SyncOptions = {}): OpenedProject {
  const { workspace } = context.flags;
  const project = openProject(context.cwd, { ...options, workspace }, context.output);
  return { project, target: context.target() };
}

/** Opens the project of the current folder for a command that calls nothing, so that it needs neither a service nor a branch. Throws `UsageError`. */
export const openLocalProject = ({ cwd, flags, output }: Context): Project =>
  openProject(cwd, { workspace: flags.workspace, skipBranchValidation: true }, output);

/** Returns an opened project whose options include every item of some kinds and no other item. */
export const openOnly = ({ project, target }: OpenedProject, kinds: ReadonlySet<string>): OpenedProject => ({
  project: { ...project, options: selectKinds(project.options, kinds) },
  target,
});

interface SessionOptions {
  /** Checks the fields of local items that have changed, and reports all other findings of `svc lint`. */
  lint?: boolean;
  /** Bundles the scripts of codebases. */
  bundles?: boolean;
}

/** Reads both sides. Problems of files and of bundles are reported before the first call. Throws `UsageError`. */
export async function openSession(
  context: Context,
  { project, target }: OpenedProject,
  { lint = false, bundles: hasBundles = false }: SessionOptions = {},
): Promise<SyncSession> {
  const files = readProjectFiles(project);
  const parsed = parseLocal(files, project, toLayout(project));
  const base = readBase(project.root, target);
  const { problems: found, warnings } = lint ? lintFiles(project, parsed, { base }) : { problems: parsed.problems, warnings: [] };
  throwProblems(found);
  for (const warning of warnings) context.output.say(`Warning: ${formatProblem(warning)}`);
  for (const [option, count] of parsed.leftOut)
    context.output.say(
      `${count} ${count === 1 ? "item" : "items"} here ${count === 1 ? "is" : "are"} left out. To include such items, set ${option}: true in svc.yaml.`,
    );
  if (lint) throwProblems(checkBundling(project, parsed.snapshot));
  const bundles = hasBundles ? await makeBundles(context, project, parsed.snapshot, () => true) : new Map<string, Bundle>();
  const bundled = [...parsed.snapshot.values()].filter((item) => item.bundled).length;
  if (lint && !hasBundles && bundled > 0)
    context.output.say(
      `${bundled} ${bundled === 1 ? "script" : "scripts"} of codebases: only files are compared. To compare bundles, add --bundle.`,
    );
  const client = context.client(target);
  await client.call.users.whoamiGlobal();
  const [rules, entries] = await Promise.all([
    loadRules(client, project, context.output),
    loadArchive(client, project.root, toArchiveQuery(project.options)),
  ]);
  // Types of resources that are stored as files are known only now.
  const hasFileTypes = Object.keys(rules.layout.fileTypes).length > 0;
  const { snapshot: local, problems } = hasFileTypes ? parseLocal(files, project, rules.layout) : parsed;
  throwProblems(problems);
  attachBundles(local, bundles);
  const archived = readRemote(entries, project, rules, files.files, context.output);
  leaveUnusable(project, { local, remote: archived }, rules.layout, context.output);
  const { snapshot: remote, folders } = archived;
  return { project, target, client, rules, files, local, remote, hasBundles, folders };
}
