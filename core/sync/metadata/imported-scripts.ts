import { findRunner } from "../../../contract/languages.ts";
import { listScriptImports } from "../../builds/imports.ts";
import type { SyncItem } from "../item.ts";
import type { Source } from "./used-lists.ts";

/** Returns the sources of the scripts among some items, by path. */
export const listScripts = (items: readonly { item: SyncItem }[]): Map<string, Source> =>
  new Map(
    items.flatMap(({ item: { kind, path, language = "bun", content: source = "" } }) =>
      kind === "script" ? [[path, { language, source }] as const] : [],
    ),
  );

/**
 * Lists the scripts of a project that a source imports, directly or indirectly, sorted and without itself. `path`: the path from which its
 * relative imports start. Imports of scripts that are not in the project are left out: the service may have them.
 */
export function listImportedScripts(path: string, entry: Source, scripts: ReadonlyMap<string, Source>): string[] {
  const found = new Set<string>();
  const waiting: [string, Source][] = [[path, entry]];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    for (const imported of listDirectImports(...next)) {
      const script = scripts.get(imported);
      if (!script || imported === path || found.has(imported)) continue;
      found.add(imported);
      waiting.push([imported, script]);
    }
  }
  return [...found].sort();
}

function listDirectImports(path: string, { language, source }: Source): string[] {
  const runner = findRunner(language, source);
  return runner ? listScriptImports(runner, path, source) : [];
}

/**
 * Orders scripts so that each is saved after those that it imports: a build imports only saved scripts. Returns groups of scripts that may be
 * saved concurrently, in order. `again`: scripts that are part of a cycle and precede one of their imports, so they must be saved a second time.
 */
export function orderByImports(scripts: ReadonlyMap<string, Source>): { groups: string[][]; again: string[] } {
  const levels = new Map<string, number>();
  const path = new Set<string>();
  const again = new Set<string>();
  const visit = (script: string, source: Source): number => {
    const knownLevel = levels.get(script);
    if (knownLevel !== undefined) return knownLevel;
    path.add(script);
    let level = 0;
    for (const imported of listDirectImports(script, source)) {
      const next = scripts.get(imported);
      if (!next) continue;
      if (path.has(imported)) again.add(script);
      else level = Math.max(level, visit(imported, next) + 1);
    }
    path.delete(script);
    levels.set(script, level);
    return level;
  };
  for (const [script, source] of scripts) visit(script, source);
  const groups: string[][] = [];
  for (const [script, level] of levels) groups[level] = [...(groups[level] ?? []), script];
  return { groups, again: [...again] };
}
