import { diffLines } from "diff";

/** A line of a comparison, and the run that has it. */
export interface ComparedLine {
  text: string;
  in: "both" | "first" | "second";
}

/** Longer texts would block the browser. */
const MOST_CHARS = 200_000;
/** Unchanged lines around a change that are shown. */
const AROUND = 3;

/** Compares two texts line by line. Returns `undefined` if they are too large. Lines far from every change are left out. */
export function compareLines(first: string, second: string): ComparedLine[] | undefined {
  if (first.length + second.length > MOST_CHARS) return undefined;
  const lines = diffLines(first, second).flatMap(({ value, added, removed }) =>
    value
      .replace(/\n$/, "")
      .split("\n")
      .map((text): ComparedLine => ({ text, in: added ? "second" : removed ? "first" : "both" })),
  );
  const isNear = (index: number) => lines.slice(Math.max(0, index - AROUND), index + AROUND + 1).some((line) => line.in !== "both");
  return lines.filter((_, index) => isNear(index));
}

/** Writes a value so that equal values have equal lines. */
export const toLines = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? ""));
