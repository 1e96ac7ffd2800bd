import { describe, expect, it } from "vitest";
import { formatSourceLine, listErrorPlaces } from "./error-place.ts";

describe("listErrorPlaces", () => {
  it.each([
    [
      "a stack of JavaScript",
      "TypeError: bad\n    at inner (f/ops/tax.ts:3:9)\n    at main (f/ops/hello.ts:7:1)\nCaused by: Error: x\n    at f/ops/deep.ts:1:2",
      [
        { file: "f/ops/tax.ts", line: 3, column: 9 },
        { file: "f/ops/hello.ts", line: 7, column: 1 },
        { file: "f/ops/deep.ts", line: 1, column: 2 },
      ],
    ],
    ["a stack of a bundle", "Error: x\n    at main (main.js:12:3)\n    at <anonymous>", [{ file: "main.js", line: 12, column: 3 }]],
    ["a stack of Go", "    at main (f/ops/hello.go:17)", [{ file: "f/ops/hello.go", line: 17 }]],
    ["an error of a build", "f/ops/hello.go:4:9: cannot use x", [{ file: "f/ops/hello.go", line: 4, column: 9 }]],
    [
      "a traceback of Python",
      'Traceback (most recent call last):\n  File "f/ops/hello.py", line 2, in main\n  File "f/ops/tax.py", line 5, in tax\nValueError: x',
      [
        { file: "f/ops/tax.py", line: 5 },
        { file: "f/ops/hello.py", line: 2 },
      ],
    ],
    ["a text without a place", "Error: at 10:30 the file https://x.example/f/a:1:2 and domain.js:1:2 was late", []],
  ])("finds the places in %s", (_name, text, expected) => {
    expect(listErrorPlaces(text)).toEqual(expected);
  });
});

it("shows the line of the file, and only the position if the line is unknown", () => {
  expect(formatSourceLine({ file: "f/a.ts", line: 2, column: 3, text: "  two" })).toBe("  f/a.ts:2:3\n  2 |   two");
  expect(formatSourceLine({ file: "f/a.py", line: 9 })).toBe("  f/a.py:9");
});
