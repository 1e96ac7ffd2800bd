import pMap from "p-map";
import { dependencyLanguage } from "../../contract/dependency-language.ts";
import type { SourceDiff } from "../../contract/routes/stored/temp-scripts.ts";
import { scriptHeadObject } from "../../core/scripts/version.ts";
import type { Uses } from "../uses.ts";
import { findDependencyContent } from "../workspaces/dependencies.ts";
import { loadScriptVersion, parseScript } from "./load.ts";
import { hashSource } from "./temp-sources.ts";

/** The number of sources that are read at a time. */
const AT_ONCE = 50;

/**
 * Returns the paths of the scripts and lists of package versions whose stored source has another hash, or that do not exist. A script that the
 * caller may not read counts as absent.
 */
export async function diffSources(
  deps: Uses<"objects" | "storage">,
  workspace: string,
  { scripts, workspace_deps: lists }: SourceDiff,
  isReadable: (path: string) => boolean,
): Promise<string[]> {
  const isStored = async ([path, hash]: [string, string]) => {
    if (!isReadable(path)) return false;
    const head = parseScript(await deps.objects.get(scriptHeadObject.key(workspace, path)));
    if (!head || head.archived || head.deleted) return false;
    return hashSource((await loadScriptVersion(deps, workspace, head.hash)).sent.content) === hash;
  };
  const differing = await omitTrue(Object.entries(scripts), isStored);
  const differingLists = await omitTrue(lists ?? [], async ({ language, name, hash }) => {
    const parsedLanguage = dependencyLanguage.safeParse(language);
    const content =
      parsedLanguage.success && (await findDependencyContent(deps, { workspace, language: parsedLanguage.data, name: name ?? undefined }));
    return typeof content === "string" && hashSource(content) === hash;
  });
  return [...differing.map(([path]) => path), ...differingLists.map(({ path }) => path)];
}

/** Returns the items for which a check returns false. */
async function omitTrue<T>(items: readonly T[], check: (item: T) => Promise<boolean>): Promise<T[]> {
  const outcomes = await pMap(items, check, { concurrency: AT_ONCE });
  return items.filter((_, index) => !outcomes[index]);
}
