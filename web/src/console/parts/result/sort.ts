import { textOf } from "../../../approval/description/items.ts";

export interface Order {
  column: number;
  isDescending: boolean;
}

const collator = new Intl.Collator(undefined, { numeric: true });

/** Sorts rows by one column: numbers by value, everything else as text. Equal rows keep their order. */
export function sortRows(rows: readonly (readonly unknown[])[], order: Order | undefined): readonly (readonly unknown[])[] {
  if (!order) return rows;
  const compare = (a: unknown, b: unknown) =>
    typeof a === "number" && typeof b === "number" ? a - b : collator.compare(textOf(a), textOf(b));
  const factor = order.isDescending ? -1 : 1;
  return rows.toSorted((a, b) => factor * compare(a[order.column], b[order.column]));
}
