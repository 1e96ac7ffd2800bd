import { describe, expect, it } from "vitest";
import { GrowingLog, joinLog, splitLog } from "./growing-log.ts";
import { continueSearch, hasSearched, type LogSearch, startSearch } from "./search.ts";

const ESC = "\u001b";

/** Searches until the whole log is searched, and counts the parts. */
function searchAll(search: LogSearch, log: ReturnType<typeof splitLog>) {
  let parts = 0;
  for (let at = search; ; at = continueSearch(at, log), parts++) if (hasSearched(at, log)) return { search: at, parts };
}
const find = (log: string, text: string) => searchAll(startSearch(text), splitLog(log)).search.found;

describe("a log that grows", () => {
  it.each(["a\nb\n", "a\n\nb", "", "\n", "\n\n", "a"])("%j has the same lines in one part and in many", (text) => {
    const expected = text.endsWith("\n") ? text.slice(0, -1).split("\n") : text === "" ? [] : text.split("\n");
    const growing = new GrowingLog();
    for (const char of text) growing.add(char);
    expect([splitLog(text), growing.add("")].map(({ lines }) => lines)).toEqual([expected, expected]);
    expect([joinLog(splitLog(text)), joinLog(growing.add(""))]).toEqual([text, text]);
  });

  it("reads only what is added", () => {
    const growing = new GrowingLog();
    growing.add("x".repeat(1_000_000));
    for (let at = 0; at < 100_000; at++) growing.add(`line ${at}\n`);
    const { lines, count } = growing.add("end");
    expect([count, lines[1], lines.at(-1)]).toEqual([100_001, "line 1", "end"]);
  });

  it("is searched without regard to case and colours", () => {
    expect(find(`one\nT${ESC}[1mWO${ESC}[0m\nthree`, "two")).toEqual([1]);
    expect(find("one", "")).toEqual([]);
  });

  it("is searched in parts, and then only where it has grown", () => {
    const growing = new GrowingLog();
    const first = growing.add(`${"yes and no\n".repeat(500_000)}ye`);
    const { search, parts } = searchAll(startSearch("yes"), first);
    expect([search.found.length, parts]).toEqual([500_000, 11]);
    const grown = searchAll(search, growing.add("s\nno\nyes"));
    expect([grown.search.found.slice(-2), grown.parts]).toEqual([[500_000, 500_002], 1]);
    expect(searchAll(grown.search, growing.add(" it is")).search.found.slice(-1)).toEqual([500_002]);
  });
});
