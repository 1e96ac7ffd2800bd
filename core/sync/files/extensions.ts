import type { ScriptLanguage } from "../../../contract/languages.ts";

/** The runtime of files that end with `.ts` alone. */
export type DefaultTs = "bun" | "deno";

/** The endings of file names after the path (api.md §6.3), for every language except the two whose ending depends on the default runtime. */
const endings: Readonly<Record<Exclude<ScriptLanguage, DefaultTs>, string>> = {
  bash: ".sh",
  bunnative: ".bunnative.ts",
  nodejs: ".node.ts",
  go: ".go",
  nativets: ".fetch.ts",
  python3: ".py",
  powershell: ".ps1",
  postgresql: ".pg.sql",
  mysql: ".my.sql",
  bigquery: ".bq.sql",
  snowflake: ".sf.sql",
  mssql: ".ms.sql",
  oracledb: ".odb.sql",
  graphql: ".gql",
  php: ".php",
  rust: ".rs",
  ansible: ".playbook.yml",
  csharp: ".cs",
  nu: ".nu",
  java: ".java",
  ruby: ".rb",
  rlang: ".r",
  duckdb: ".duckdb.sql",
  dbt: ".dbt.yml",
};

/** Returns the ending of a script's file name. */
export function scriptEnding(language: ScriptLanguage, defaultTs: DefaultTs): string {
  if (language === "bun" || language === "deno") return language === defaultTs ? ".ts" : `.${language}.ts`;
  return endings[language];
}

/** Returns the language of a file name's ending, or `undefined` if it is not that of a script. */
export function languageOfEnding(ending: string, defaultTs: DefaultTs): ScriptLanguage | undefined {
  if (ending === ".ts") return defaultTs;
  if (ending === ".bun.ts") return "bun";
  if (ending === ".deno.ts") return "deno";
  return (Object.keys(endings) as (keyof typeof endings)[]).find((language) => endings[language] === ending);
}
