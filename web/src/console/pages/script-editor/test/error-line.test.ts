import { expect, it } from "vitest";
import { errorLineOf } from "./error-line.ts";

const path = "f/a/b";
const python = `Traceback (most recent call last):
  File "f/a/b.py", line 3, in main
    f()
  File "f/a/b.py", line 6, in f
  File "f/a/other.py", line 9, in g`;

it.each([
  ["bun", { stack: "Error: x\n    at f (f/a/b.ts:3:13)\n    at main (f/a/b.ts:9:1)" }, { line: 3, column: 13 }],
  ["bun", { message: "f/a/b.ts:2:1: Expected identifier but found end of file" }, { line: 2, column: 1 }],
  ["python3", { stack: python }, { line: 6 }],
  ["go", { stack: "    at main (f/a/b.go:5)" }, { line: 5 }],
  ["go", { message: "The script does not compile: f/a/b.go:4:9: cannot use 3" }, { line: 4, column: 9 }],
])("the error of a %s script stands at its line: %j", (language, error, at) => {
  expect(errorLineOf({ language, path, result: { error } })?.at).toEqual(at);
});

it.each([{ error: { message: "The script exited with code 1." } }, { error: { stack: "at f/x/b.ts:1:1" } }, "text", null])(
  "an error without a line of the script stands nowhere: %j",
  (result) => {
    expect(errorLineOf({ language: "bun", path, result })).toBeUndefined();
  },
);
