import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { SpecificItems, SyncConfig, SyncOptions } from "../../core/sync/config/config.ts";
import { createLocator, parseConfig } from "../../core/sync/config/parse-config.ts";
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
import { findGitBranch, findGitRoot } from "./git.ts";

export const CONFIG_FILE = "svc.yaml";

/** A folder with `svc.yaml`, and the options that it has for the chosen workspace. */
export interface Project {
  /** The folder of `svc.yaml`. */
  root: string;
  config: SyncConfig;
  /** The workspace of `svc.yaml` that flag or git branch choose. */
  entry?: string | undefined;
  /** The service and the workspace that `svc.yaml` names. */
  configured: { url?: string | undefined; workspace?: string | undefined };
  options: SyncOptions;
  specific: SpecificItems;
  /** Describes a problem of a property of `svc.yaml` with its place. */
  describeProblem(path: readonly PropertyKey[], message: string): FileProblem;
}

/** Returns the path of a file from the root of the project. It begins with `..` for a file outside. */
export const toProjectPath = ({ root }: Pick<Project, "root">, cwd: string, file: string): string =>
  relative(root, resolve(cwd, file)).split(sep).join("/");

/** Finds the folder of `svc.yaml`: the current one or one above it, up to the root of the git repository. */
function findProjectRoot(from: string): string | undefined {
  const top = findGitRoot(from);
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, CONFIG_FILE))) return folder;
    if (folder === top || folder === dirname(folder) || top === undefined) return undefined;
  }
}

/** Reads `svc.yaml`. Throws `UsageError` without one, and for each problem in it. */
export function openProject(from: string, flags: SyncOptions & { workspace?: string | undefined }, output: Output): Project {
  const root = findProjectRoot(from);
  if (root === undefined) throw new UsageError(`There is no ${CONFIG_FILE} here or above. Run: svc init`);
  const { workspace, ...optionFlags } = flags;
  const file = relative(from, join(root, CONFIG_FILE)) || CONFIG_FILE;
  const text = readFileSync(join(root, CONFIG_FILE), "utf8");
  const parsed = parseConfig(file, text);
  if ("problems" in parsed) {
    throwProblems(parsed.problems);
    throw new UsageError(`${file} is not valid.`);
  }
  const { config } = parsed;
  for (const name of listDeprecated(config)) output.say(`${file}: ${name} is deprecated, use workspaces.`);
  const entry = chooseEntry(root, config, { ...optionFlags, workspace });
  const { baseUrl, workspaceId } = (entry === undefined ? undefined : listEntries(config).get(entry)) ?? {};
  return {
    root,
    config,
    entry,
    configured: { url: baseUrl, workspace: entry === undefined ? undefined : (workspaceId ?? entry) },
    options: resolveOptions(config, entry, optionFlags),
    specific: listSpecificItems(config, entry),
    describeProblem: (path, message) => ({ file, ...createLocator(text)(path), message: `${path.join(".")}: ${message}` }),
  };
}

/** Returns the name of the workspace that the flag names, otherwise the one of the git branch. */
function chooseEntry(root: string, config: SyncConfig, flags: SyncOptions & { workspace?: string | undefined }): string | undefined {
  const entries = listEntries(config);
  if (flags.workspace !== undefined) return entries.has(flags.workspace) ? flags.workspace : undefined;
  if (entries.size === 0) return undefined;
  const branch = findGitBranch(root);
  const found = branch === undefined ? undefined : findEntryOfBranch(config, branch);
  if (found !== undefined || branch === undefined) return found;
  if (flags.skipBranchValidation ?? config.skipBranchValidation) return undefined;
  const names = [...entries].map(([name, { gitBranch = name }]) => `${gitBranch} (${name})`).join(", ");
  throw new UsageError(
    `No workspace of ${CONFIG_FILE} is that of the git branch ${branch}. Known branches: ${names}. Choose one with --workspace, or continue with --skip-branch-validation.`,
  );
}
