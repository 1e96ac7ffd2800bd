import { previewOf } from "../../../shared/preview.ts";

export interface Order {
  column: number;
  isDescending: boolean;
}

const collator = new Intl.Collator(undefined, { numeric: true });

/** Cells that differ only after this part keep their order. */
const SORTED_CHARS = 200;

const compareKeys = (a: string | number, b: string | number): number =>
  typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a), String(b));

/** Sorts rows by one column: numbers by value, everything else as text. Equal rows keep their order. */
export function sortRows(rows: readonly (readonly unknown[])[], order: Order | undefined): readonly (readonly unknown[])[] {
  if (!order) return rows;
  const factor = order.isDescending ? -1 : 1;
  const keyed = rows.map((row) => {
    const cell = row[order.column];
    return { row, key: typeof cell === "number" ? cell : previewOf(cell, SORTED_CHARS) };
  });
  return keyed.sort((a, b) => factor * compareKeys(a.key, b.key)).map(({ row }) => row);
}
