import { describe, expect, it } from "vitest";
import { MOST_SHOWN_CHARS, plainLine, readLine } from "./lines.ts";

const ESC = "\u001b";

describe("the lines of a log", () => {
  it("have the colours of terminals, and no other codes", () => {
    expect(readLine(`plain ${ESC}[1;31mbad${ESC}[0m end`)).toEqual([
      { text: "plain ", color: "", isBold: false },
      { text: "bad", color: "red", isBold: true },
      { text: " end", color: "", isBold: false },
    ]);
    expect(plainLine(`${ESC}[31mbad${ESC}[0m${ESC}[2K\r`)).toBe("bad");
  });

  it("are cut, and do not reverse the direction of text", () => {
    expect(readLine("x".repeat(1_000_000))[0]?.text).toHaveLength(MOST_SHOWN_CHARS);
    expect(readLine("a\u202eb")[0]?.text).toBe("a\\u202eb");
  });
});
