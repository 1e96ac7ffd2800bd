import { COMMON_ITEMS, type SpecificItems, type SyncConfig, type SyncOptions, type WorkspaceEntry } from "./config.ts";

/** The workspaces of a configuration by name, with those of the deprecated properties. */
export function listEntries(config: SyncConfig): Map<string, WorkspaceEntry> {
  const maps = [config.environments, config.gitBranches, config.workspaces];
  const entries = maps.flatMap((map) => Object.entries(map ?? {}).filter(([name]) => name !== COMMON_ITEMS));
  return new Map(entries as [string, WorkspaceEntry][]);
}

/** The deprecated properties that a configuration uses. */
export const listDeprecated = (config: SyncConfig): string[] =>
  (["gitBranches", "environments"] as const).filter((name) => config[name] !== undefined);

/** Returns the name of the workspace of a git branch, or `undefined`. */
export function findEntryOfBranch(config: SyncConfig, branch: string): string | undefined {
  for (const [name, { gitBranch = name }] of listEntries(config)) if (gitBranch === branch) return name;
  return undefined;
}

/**
 * Returns the options of a synchronisation: those of the top level, of the workspace, of the branch to which it promotes, and the flags of the
 * command. Later ones take precedence. `extraIncludes` are added to `includes`.
 */
export function resolveOptions(config: SyncConfig, entryName: string | undefined, flags: SyncOptions): SyncOptions {
  const { codebases, workspaces, gitBranches, environments, ...top } = config;
  const entries = listEntries(config);
  const entry = entryName === undefined ? undefined : entries.get(entryName);
  const promotion = flags.promotion ?? entry?.overrides?.promotion ?? top.promotion;
  const target = promotion === undefined ? undefined : findEntryOfBranch(config, promotion);
  const promoted = target === undefined ? undefined : entries.get(target)?.promotionOverrides;
  const merged = { ...top, ...entry?.overrides, ...promoted, ...withoutUndefined(flags) };
  const { includes, extraIncludes = [], skipSecrets = true, ...options } = merged;
  return {
    ...options,
    skipSecrets,
    ...(includes === undefined && extraIncludes.length === 0 ? {} : { includes: [...(includes ?? []), ...extraIncludes] }),
  };
}

const withoutUndefined = (flags: SyncOptions): SyncOptions =>
  Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined)) as SyncOptions;

/** Returns the items of which a workspace has a separate version: those listed for all workspaces, and its own. */
export function listSpecificItems(config: SyncConfig, entryName: string | undefined): SpecificItems {
  const common = [config.environments, config.gitBranches, config.workspaces].map((map) => map?.[COMMON_ITEMS]);
  const entryItems = entryName === undefined ? undefined : listEntries(config).get(entryName)?.specificItems;
  const all = [...common, entryItems];
  const join = (name: "variables" | "resources" | "triggers" | "folders") => all.flatMap((items) => items?.[name] ?? []);
  return {
    variables: join("variables"),
    resources: join("resources"),
    triggers: join("triggers"),
    folders: join("folders"),
    settings: all.some((items) => items?.settings === true),
  };
}
