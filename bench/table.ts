export type Unit = "ms" | "s" | "/s" | "KB" | "MB" | "$" | "$/M" | "units" | "requests" | "executions" | "events" | "transitions" | "×";

/** One row: the figure, the comparison (a floor of the same run), and the target, if there is one. */
export interface Row {
  line: string;
  value: number;
  unit: Unit;
  /** An additional figure, such as another quantile. */
  note?: string;
  floor?: Floor;
  target?: { atMost: number } | { atLeast: number };
}

export interface Floor {
  name: string;
  value: number;
}

export interface Section {
  title: string;
  rows: Row[];
}

export const isMet = ({ value, target }: Row): boolean | undefined =>
  target && ("atMost" in target ? value <= target.atMost : value >= target.atLeast);

const digits: Record<Unit, number> = {
  ms: 1,
  s: 1,
  "/s": 0,
  KB: 0,
  MB: 0,
  $: 5,
  "$/M": 2,
  units: 1,
  requests: 1,
  executions: 0,
  events: 0,
  transitions: 1,
  "×": 2,
};

/** `12.3 ms`; prices before the number. */
function figure(value: number, unit: Unit): string {
  if (unit === "$/M" || unit === "$") return `$${value.toFixed(digits[unit])}`;
  return `${value.toFixed(digits[unit])}${unit === "/s" ? "/s" : ` ${unit}`}`;
}

function ratio({ value, floor }: Row): string {
  return floor ? `${(value / floor.value).toFixed(value / floor.value < 10 ? 2 : 0)} × ${floor.name}` : "";
}

function verdict(row: Row): string {
  const { target, unit } = row;
  if (!target) return "";
  const limit = "atMost" in target ? `≤ ${figure(target.atMost, unit)}` : `≥ ${figure(target.atLeast, unit)}`;
  return `${limit}  ${isMet(row) ? "ok" : "missed"}`;
}

/** Formats all sections as one table. */
export function render(sections: Section[]): string {
  const cells = (row: Row) => [row.line, figure(row.value, row.unit), row.note ?? "", ratio(row), verdict(row)];
  const all = sections.flatMap(({ rows }) => rows.map(cells));
  const widths = [0, 1, 2, 3, 4].map((at) => Math.max(0, ...all.map((row) => row[at]?.length ?? 0)));
  const line = (row: string[]) =>
    `  ${row.map((cell, at) => (at === 1 ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0))).join("  ")}`.trimEnd();
  return sections.map(({ title, rows }) => [title, ...rows.map((row) => line(cells(row)))].join("\n")).join("\n\n");
}
