import * as z from "zod";

/** Every language that can be stored (api.md §3.1). */
export const scriptLanguages = [
  "nodejs",
  "python3",
  "deno",
  "go",
  "bash",
  "powershell",
  "postgresql",
  "mysql",
  "bigquery",
  "snowflake",
  "mssql",
  "oracledb",
  "graphql",
  "nativets",
  "bun",
  "php",
  "rust",
  "ansible",
  "csharp",
  "nu",
  "java",
  "ruby",
  "rlang",
  "duckdb",
  "bunnative",
  "dbt",
] as const;
export const scriptLanguageSchema = z.enum(scriptLanguages);
export type ScriptLanguage = z.infer<typeof scriptLanguageSchema>;

/** The languages that have a runner of their own. */
export const runnerLanguages = ["bun", "deno", "nodejs", "python3", "go", "bash"] as const;
export type RunnerLanguage = (typeof runnerLanguages)[number];

/** Which runner executes a stored language; `undefined` when none does. A bun script whose first line is `//nodejs` runs on node. */
export function runnerFor(language: ScriptLanguage, content: string): RunnerLanguage | undefined {
  switch (language) {
    case "bun":
      return /^\/\/\s*nodejs\b/.test(content) ? "nodejs" : "bun";
    case "bunnative":
      return "bun";
    case "nativets":
      return "nodejs";
    case "nodejs":
    case "python3":
    case "deno":
    case "go":
    case "bash":
      return language;
    default:
      return undefined;
  }
}
