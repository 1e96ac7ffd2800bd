import { describe, expect, it } from "vitest";
import { wellFormedJson } from "./well-formed.ts";

describe("wellFormedJson", () => {
  it.each([
    [
      ["plain", "\ud83d\ude00"],
      ["plain", "\ud83d\ude00"],
    ],
    [
      ["\ud800", "a\udfffb", "\ude00\ud83d"],
      ["\ufffd", "a\ufffdb", "\ufffd\ufffd"],
    ],
    [
      ["\\ud800", "\\\ud800"],
      ["\\ud800", "\\\ufffd"],
    ],
    [{ "\ud800": 1 }, { "\ufffd": 1 }],
  ])("the JSON of %j becomes well-formed", (value, expected) => {
    expect(JSON.parse(wellFormedJson(JSON.stringify(value)))).toEqual(expected);
  });

  it("escaped surrogate pairs are unchanged", () => {
    expect(JSON.parse(wellFormedJson('["\\ud83d\\ude00", "\\uD83D", "\\\\ud83d"]'))).toEqual(["\u{1f600}", "\ufffd", "\\ud83d"]);
  });
});
