import { isJsonObject } from "../../../../../contract/json/json-object.ts";

/** The sources that the triggers of a workspace may use. */
export interface SourcesRow {
  workspace: string;
  sources: string[];
}

/** Reads the setting. Undefined: it has another form, which only JSON shows. */
export function toSourceRows(value: unknown): SourcesRow[] | undefined {
  if (value === null || value === undefined) return [];
  if (!isJsonObject(value)) return undefined;
  const rows = Object.entries(value).map(([workspace, sources]) => ({ workspace, sources }));
  const isList = (sources: unknown): sources is string[] => Array.isArray(sources) && sources.every((one) => typeof one === "string");
  return rows.every((row): row is SourcesRow => isList(row.sources)) ? rows : undefined;
}

/** Returns the setting of the rows. `null`: none. Undefined: a row names no workspace, or one that another row names. */
export function fromSourceRows(rows: readonly SourcesRow[]): Record<string, string[]> | null | undefined {
  if (rows.length === 0) return null;
  const names = new Set(rows.map(({ workspace }) => workspace));
  if (names.size < rows.length || names.has("")) return undefined;
  return Object.fromEntries(rows.map(({ workspace, sources }) => [workspace, sources]));
}
