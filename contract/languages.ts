import * as z from "zod";
import type { RunnerManifest } from "../runners/manifest.ts";
import * as manifests from "../runners/manifests.ts";

export type { RunnerManifest };

type Manifest = (typeof manifests)[keyof typeof manifests];

const listed: readonly Manifest[] = Object.values(manifests);
const all: readonly RunnerManifest[] = listed;

/** A language that has a runner of its own: the id of its manifest. */
export type RunnerLanguage = Manifest["id"];
export const runnerLanguages: readonly RunnerLanguage[] = listed.map(({ id }) => id);

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

/** Every language that can be stored (api.md §3.1). */
export const scriptLanguages: readonly ScriptLanguage[] = [...listed.flatMap(({ id, aliases }) => [id, ...aliases]), ...withoutRunner];
export const scriptLanguageSchema = z.enum(scriptLanguages);

/** The manifest of the runner that executes a stored language, whatever the script contains; `undefined` when none does. */
export function manifestFor(language: ScriptLanguage): RunnerManifest | undefined {
  return all.find(({ id, aliases }) => id === language || aliases.includes(language));
}

/** The manifest of a runner. */
export function manifestOf(runner: RunnerLanguage): RunnerManifest {
  const found = all.find(({ id }) => id === runner);
  if (!found) throw new Error(`There is no manifest for ${runner}.`);
  return found;
}

/** The runner that executes a script, by its stored language and its content; `undefined` when none does. */
export function runnerFor(language: ScriptLanguage, content: string): RunnerLanguage | undefined {
  const directed = all.find(({ directives }) =>
    directives.some((directive) => directive.language === language && directive.content.test(content)),
  );
  return (directed ?? manifestFor(language))?.id as RunnerLanguage | undefined;
}
