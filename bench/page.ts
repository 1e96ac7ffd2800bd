import { readFileSync, writeFileSync } from "node:fs";
import { isMet, type Row } from "./table.ts";

/** The stored run of `npm run bench`. */
export interface StoredRun {
  machine: string;
  at: string;
  quick: boolean;
  rows: (Row & { section: string })[];
}

const FROM = "<!-- figures: npm run bench -- --page -->";
const TO = "<!-- end of figures -->";

/** Inserts the tables of the stored run between the two markers of a page. */
export function putTables(resultFile: string, page: string): void {
  const run = JSON.parse(readFileSync(resultFile, "utf8")) as StoredRun;
  if (run.quick) throw new Error("The stored run is a quick one, whose figures mean nothing. Run npm run bench for a complete one.");
  writeFileSync(page, withTables(readFileSync(page, "utf8"), run));
}

export function withTables(page: string, run: StoredRun): string {
  const [from, to] = [page.indexOf(FROM), page.indexOf(TO)];
  if (from < 0 || to < from) throw new Error(`The page has no place for tables between ${FROM} and ${TO}.`);
  return `${page.slice(0, from + FROM.length)}\n${tables(run)}\n${page.slice(to)}`;
}

function tables({ machine, at, rows }: StoredRun): string {
  const titles = [...new Set(rows.map(({ section }) => section))];
  const sections = titles.map((title) => {
    const lines = rows.filter(({ section }) => section === title).map((row) => `| ${cells(row).join(" | ")} |`);
    return ["", `### ${title}`, "", "| what | figure | × floor | target | |", "|---|---|---|---|---|", ...lines].join("\n");
  });
  return [`Taken on ${at.slice(0, 10)}: ${machine}.`, ...sections].join("\n");
}

function cells(row: Row): string[] {
  const { line, value, unit, floor, target, note = "" } = row;
  const limit = target && ("atMost" in target ? `at most ${number(target.atMost)}` : `at least ${number(target.atLeast)}`);
  return [
    line,
    `${number(value)} ${unit}`,
    floor ? `${number(value / floor.value)} × ${floor.name}` : "",
    limit ? `${limit}, ${isMet(row) ? "met" : "missed"}` : "",
    note,
  ];
}

/** Formats a number with three significant digits, and with all digits before the decimal point. */
function number(value: number): string {
  return Number(Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3)).toString();
}
