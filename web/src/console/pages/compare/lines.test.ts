import { expect, it } from "vitest";
import { compareLines, toLines } from "./lines.ts";

it("a comparison has the lines of both runs, and leaves out lines far from a change", () => {
  const numbers = Array.from({ length: 20 }, (_, index) => `${index}`);
  const first = numbers.join("\n");
  const second = numbers.with(10, "ten").join("\n");
  expect(compareLines(first, second)?.map(({ text, in: run }) => (run === "both" ? text : `${run} ${text}`))).toEqual([
    ...["7", "8", "9", "first 10", "second ten", "11", "12", "13"],
  ]);
  expect(compareLines("a", "a")).toEqual([]);
  expect(compareLines("x".repeat(150_000), "y".repeat(150_000))).toBeUndefined();
  expect([toLines({ a: 1 }), toLines("text"), toLines(undefined)]).toEqual(['{\n  "a": 1\n}', "text", ""]);
});
