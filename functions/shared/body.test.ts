import { describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import { parseJsonBody } from "./body.ts";

const read = (body: string | null, isBase64Encoded = false) => parseJsonBody({ body, isBase64Encoded });
const detailsOf = (body: string): unknown => {
  try {
    return read(body);
  } catch (error) {
    return (error as { details: unknown }).details;
  }
};

describe("parseJsonBody", () => {
  it("accepts every JSON value, also as base64, and an empty body as {}", () => {
    expect(read('[1, "a", null]')).toEqual([1, "a", null]);
    expect(read(Buffer.from('{"ä":1}').toString("base64"), true)).toEqual({ ä: 1 });
    expect([read(null), read(""), read(" \n")]).toEqual([{}, {}, {}]);
  });

  it("half a surrogate pair becomes U+FFFD, and escapes of other text stay", () => {
    expect(read('{"\\ud800":["\\uDFFF","\\ud83d\\ude00","\\\\ud800"]}')).toEqual({ "\ufffd": ["\ufffd", "😀", "\\ud800"] });
  });

  it.each([
    ["{", "it ends at position 1 (line 1, column 2)"],
    ["tru", "it ends at position 3 (line 1, column 4)"],
    ['{"a": "x', "it ends at position 8 (line 1, column 9)"],
    ["hello", 'there is an unexpected "h" at position 0 (line 1, column 1)'],
    ["falsx", 'there is an unexpected "x" at position 4 (line 1, column 5)'],
    ['{"a": hello}', 'there is an unexpected "h" at position 6 (line 1, column 7)'],
    ['{\n  "a": 1,\n}', 'there is an unexpected "}" at position 12 (line 3, column 1)'],
    ['{"a": 1} {}', 'there is an unexpected "{" at position 9 (line 1, column 10)'],
    ['["😀", 😀]', 'there is an unexpected "😀" at position 7 (line 1, column 8)'],
    [`{"at position 3": ${"[1],".repeat(5)}`, 'there is an unexpected "[" at position 22 (line 1, column 23)'],
    [`{"a": "${"x".repeat(50_000)}", "b": oops}`, 'there is an unexpected "o" at position 50015 (line 1, column 50016)'],
  ])("names where a text stops to be JSON: %.30s", (body, position) => {
    expect(detailsOf(body)).toEqual({ position: expect.stringContaining(position) });
  });

  it("refuses a body that is nested deeper than the limit, and does not count brackets in strings", () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    expect(detailsOf(nested(limits.bodyDepth + 1))).toEqual({ limit: limits.bodyDepth });
    expect(detailsOf(nested(100_000))).toEqual({ limit: limits.bodyDepth });
    expect(read(JSON.stringify({ text: '"\\'.concat(nested(1000)) }))).toEqual({ text: '"\\'.concat(nested(1000)) });
    expect(read(nested(limits.bodyDepth))).toBeInstanceOf(Array);
  });
});
