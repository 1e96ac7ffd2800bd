import * as z from "zod";
import type { BuiltinModules, Interpreter, RunnerManifest } from "../runners/manifest.ts";
import * as manifests from "../runners/manifests.ts";

export type { BuiltinModules, Interpreter, RunnerManifest };

type Manifest = (typeof manifests)[keyof typeof manifests];

const listed: readonly Manifest[] = Object.values(manifests);
const all: readonly RunnerManifest[] = listed;

/** A language with a runner: the id of its manifest. */
export type RunnerLanguage = Manifest["id"];
export const runnerLanguages: readonly RunnerLanguage[] = listed.map(({ id }) => id);

/** The interpreters of all runners. */
export const interpreters: readonly Interpreter[] = all.flatMap((manifest) => manifest.function.tools);

/** The environment variable that names the path of an interpreter. */
export const interpreterVariable = ({ name }: Interpreter): string => `SVC_${name.toUpperCase()}_PATH`;

/** Languages that can be stored although no runner executes them. */
const withoutRunner = [
  "powershell",
  "postgresql",
  "mysql",
  "bigquery",
  "snowflake",
  "mssql",
  "oracledb",
  "graphql",
  "php",
  "rust",
  "ansible",
  "csharp",
  "nu",
  "java",
  "ruby",
  "rlang",
  "duckdb",
  "dbt",
] as const;

export type ScriptLanguage = RunnerLanguage | Manifest["aliases"][number] | (typeof withoutRunner)[number];

/** The languages that run, each under all of its names. */
export const runnableLanguages: readonly ScriptLanguage[] = listed.flatMap(({ id, aliases }) => [id, ...aliases]);

/** Every language that can be stored (api.md §3.1). */
export const scriptLanguages: readonly ScriptLanguage[] = [...runnableLanguages, ...withoutRunner];

/** Lists the languages that run. Others can be stored, but a sentence that suggests a language does not mention them. */
const runsIn = `one of the languages that this service runs: ${runnableLanguages.join(", ")}`;
export const scriptLanguageSchema = z
  .enum(scriptLanguages, { error: `must be ${runsIn}` })
  .meta({ description: `Usually ${runsIn}. The other languages can be stored, but not run.` });
export const isScriptLanguage = (value: unknown): value is ScriptLanguage => scriptLanguages.some((language) => language === value);

/** Returns the manifest of the runner for a stored language, whatever the script contains, or `undefined` if there is no runner. */
export function findManifest(language: ScriptLanguage): RunnerManifest | undefined {
  return all.find(({ id, aliases }) => id === language || aliases.includes(language));
}

/** Returns the manifest of a runner. */
export function getManifest(runner: RunnerLanguage): RunnerManifest {
  const found = all.find(({ id }) => id === runner);
  if (!found) throw new Error(`There is no manifest for ${runner}.`);
  return found;
}

/** Returns the runner for a stored language and the content of the script, or `undefined` if there is no runner. */
export function findRunner(language: ScriptLanguage, content: string): RunnerLanguage | undefined {
  const source = content.replace(/^\uFEFF/, "");
  const directed = all.find(({ directives }) =>
    directives.some((directive) => directive.language === language && directive.content.test(source)),
  );
  return (directed ?? findManifest(language))?.id as RunnerLanguage | undefined;
}
