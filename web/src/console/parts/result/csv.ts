import { textOf } from "../../../../../core/approvals/description-items.ts";

/** Spreadsheets execute a cell that begins with one of these characters as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** Writes a cell. A text that a spreadsheet would execute gets an apostrophe, and numbers stay numbers. */
function cellOf(value: unknown): string {
  const text = textOf(value);
  const safe = typeof value !== "number" && FORMULA.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Writes rows as CSV (RFC 4180), with the names of the columns first. */
export function toCsv(columns: readonly string[], rows: readonly (readonly unknown[])[]): string {
  return [columns, ...rows].map((row) => columns.map((_, index) => cellOf(row[index])).join(",")).join("\r\n");
}
