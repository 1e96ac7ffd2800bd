import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { createLocator } from "../../core/sync/check/locate.ts";
import type { SpecificItems, SyncConfig, SyncOptions } from "../../core/sync/config/config.ts";
import { parseConfig } from "../../core/sync/config/parse-config.ts";
import {
  findEntryOfBranch,
  listDeprecated,
  listEntries,
  listSpecificItems,
  resolveOptions,
} from "../../core/sync/config/workspace-entry.ts";
import type { FileProblem } from "../../core/sync/item.ts";
import { throwProblems, UsageError } from "../errors.ts";
import type { Output } from "../output/output.ts";
import { readProfiles } from "../profiles/profiles.ts";
import { type ConfiguredWorkspace, readNamedWorkspace } from "../profiles/target.ts";
import { findGitBranch, findGitRoot } from "./git.ts";
import { placeWithoutLinks } from "./links.ts";

export const CONFIG_FILE = "svc.yaml";

/** A folder with `svc.yaml`, and its options for the chosen workspace. */
export interface Project {
  /** The folder of `svc.yaml`. */
  root: string;
  config: SyncConfig;
  /** The workspace of `svc.yaml` that flag or git branch choose. */
  entry?: string | undefined;
  /** The service and the workspace that `svc.yaml` names. */
  configured: ConfiguredWorkspace;
  options: SyncOptions;
  specific: SpecificItems;
  /** Describes a problem of a property of `svc.yaml` with its position. */
  describeProblem(path: readonly PropertyKey[], message: string): FileProblem;
}

/** Returns the path of a file from the root of the project. It begins with `..` for a file outside. */
export const toProjectPath = ({ root }: Pick<Project, "root">, cwd: string, file: string): string =>
  relative(root, resolve(cwd, file)).split(sep).join("/");

/** Finds the folder of `svc.yaml`, if there is one: the current one or one above it, up to the root of the git repository. */
export function findProjectRoot(from: string): string | undefined {
  const top = findGitRoot(from);
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, CONFIG_FILE))) return folder;
    if (folder === top || folder === dirname(folder) || top === undefined) return undefined;
  }
}

/**
 * Reads `svc.yaml`. `output`: receives warnings about deprecated properties. Throws `UsageError` if the file is missing, and for each problem in
 * it.
 */
export function openProject(from: string, flags: SyncOptions & { workspace?: string | undefined }, output?: Output): Project {
  const root = findProjectRoot(from);
  if (root === undefined) throw new UsageError(`There is no ${CONFIG_FILE} here or above. Run: svc init`);
  const { workspace, ...optionFlags } = flags;
  const file = relative(from, join(root, CONFIG_FILE)) || CONFIG_FILE;
  const text = readFileSync(placeWithoutLinks(root, CONFIG_FILE), "utf8");
  const parsed = parseConfig(file, text);
  if ("problems" in parsed) {
    throwProblems(parsed.problems);
    throw new UsageError(`${file} is not valid.`);
  }
  const { config } = parsed;
  for (const name of listDeprecated(config)) output?.say(`${file}: ${name} is deprecated, use workspaces.`);
  const named = readNamedWorkspace({ workspace })?.name;
  const entry = named === undefined ? findBranchEntry(root, config, optionFlags) : findNamedEntry(root, config, named);
  const { baseUrl, workspaceId } = (entry === undefined ? undefined : listEntries(config).get(entry)) ?? {};
  return {
    root,
    config,
    entry,
    configured: {
      url: baseUrl,
      workspace: entry === undefined ? undefined : (workspaceId ?? entry),
      isNamed: named !== undefined && entry !== undefined,
    },
    options: resolveOptions(config, entry, optionFlags),
    specific: listSpecificItems(config, entry),
    describeProblem: (path, message) => ({ file, ...createLocator(text)(path), message: `${path.join(".")}: ${message}` }),
  };
}

/**
 * Returns the workspace of `svc.yaml` with this name, otherwise with this id, preferably that of the git branch. A profile takes precedence over
 * an id.
 */
function findNamedEntry(root: string, config: SyncConfig, name: string): string | undefined {
  const entries = listEntries(config);
  if (entries.has(name)) return name;
  if (Object.hasOwn(readProfiles().profiles, name)) return undefined;
  const sameId = [...entries].flatMap(([entry, { workspaceId }]) => (workspaceId === name ? [entry] : []));
  const branch = sameId.length > 1 ? findGitBranch(root) : undefined;
  const ofBranch = branch === undefined ? undefined : findEntryOfBranch(config, branch);
  return sameId.find((entry) => entry === ofBranch) ?? sameId[0];
}

/** Returns the workspace of `svc.yaml` that belongs to the git branch. Throws `UsageError` on a branch without a workspace. */
function findBranchEntry(root: string, config: SyncConfig, flags: SyncOptions): string | undefined {
  const entries = listEntries(config);
  if (entries.size === 0) return undefined;
  const branch = findGitBranch(root);
  const found = branch === undefined ? undefined : findEntryOfBranch(config, branch);
  if (found !== undefined || branch === undefined) return found;
  if (flags.skipBranchValidation ?? config.skipBranchValidation) return undefined;
  const names = [...entries].map(([name, { gitBranch = name }]) => `${gitBranch} (${name})`).join(", ");
  throw new UsageError(
    `No workspace of ${CONFIG_FILE} is that of the git branch ${branch}. Known branches: ${names}. Choose one with --workspace. svc sync continues with --skip-branch-validation.`,
  );
}
