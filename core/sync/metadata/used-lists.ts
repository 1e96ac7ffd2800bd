import { type DependencyLanguage, dependencyFiles } from "../../../contract/dependency-language.ts";
import { findRunner, type ScriptLanguage } from "../../../contract/languages.ts";
import { findDependencyLanguage, findNamedDependencies } from "../../builds/packages/workspace-dependencies.ts";
import type { UsedLists } from "./lock-file.ts";

/** A source with its language. */
export interface Source {
  language: ScriptLanguage;
  source: string;
}

function findListLanguage({ language, source }: Source): DependencyLanguage | undefined {
  const runner = findRunner(language, source);
  return runner && findDependencyLanguage(runner);
}

/** Returns whether a script may have packages, and therefore a lock. */
export const mayHaveLock = (script: Source): boolean => findListLanguage(script) !== undefined;

/** Returns the list of package versions that a script uses among the files of a project: the one that it names, otherwise that of its language. */
export function selectUsedLists(script: Source, files: ReadonlyMap<string, string>): UsedLists {
  const language = findListLanguage(script);
  if (language === undefined) return {};
  const name = findNamedDependencies(language, script.source);
  const file = `dependencies/${name === undefined ? "" : `${name}.`}${dependencyFiles[language]}`;
  const content = files.get(file);
  return content === undefined ? {} : { [file]: content };
}
