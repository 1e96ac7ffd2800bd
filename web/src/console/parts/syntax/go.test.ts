import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { scriptTemplates } from "../../../../../contract/templates/script-templates.ts";
import { findGoErrors } from "./go.ts";

const main = (body: string) => `package inner\n\nfunc main() {\n\t${body}\n}\n`;
/** Returns the marked texts with their messages. */
const errorsOf = (text: string) => findGoErrors(text).map(({ from, to, message }) => [text.slice(from, to), message]);

it.each([
  ["f(1", [["(", "( is not closed."]]],
  ["f(1]", [["]", "] does not close ( of line 4."]]],
  [
    "f(1; g([2)",
    [
      ["(", "( is not closed."],
      ["[", "[ is not closed."],
    ],
  ],
  ["if a {", [["{", "{ is not closed."]]],
  ["}", [["}", "} closes nothing."]]],
  ['a := "b', [['"b', '" is not closed.']]],
  ['a := "b\\"', [['"b\\"', '" is not closed.']]],
  ["a := 'b", [["'b", "' is not closed."]]],
  ["a := 'text'", [["'text'", expect.stringContaining("double quotes")]]],
  ["a := ''", [["''", expect.stringContaining("one character")]]],
  ["a := `b", [["`", "` is not closed."]]],
  ["/* a", [["/*", "/* is not closed."]]],
  ['a := "\\d+"', [["\\d", expect.stringContaining("no escape \\d")]]],
  ["a := b ? c : d", [["?", expect.stringContaining("no character ?")]]],
  [
    "a := “b”",
    [
      ["“", expect.anything()],
      ["”", expect.anything()],
    ],
  ],
  ["a := 1\u00A0", [["\u00A0", expect.anything()]]],
])("the errors of Go are marked in %j", (body, errors) => {
  expect(errorsOf(main(body))).toEqual(errors);
});

it("a bracket without an end is marked before the next function, and others after it", () => {
  const text = "package inner\nfunc a() {\n\tif b {\n}\n\nfunc (c *C) Fine() {}\nfunc d() { e(1 }\n";
  expect(findGoErrors(text).map(({ from }) => from)).toEqual([text.indexOf("{"), text.indexOf("(1")]);
});

it("at most 20 errors are marked", () => {
  expect(findGoErrors('"\n'.repeat(100))).toHaveLength(20);
});

it.each([
  'package inner\n\nimport (\n\t"fmt" // a \'\n)\n\n/* " ( */\nfunc main(a string, b ...int) (any, error) {\n\treturn fmt.Sprint(a, b), nil\n}\n',
  main("a, b, c := '\\'', '\\x41', '\\U0001F600'; d := \"\\\"\\u00e9\\101\"; _ = `\\d \" ' {`"),
  main("f := func(a int) func() { return func() { a <<= 1; _ = a &^ 2 } }; f(1)(); ch <- 0x1p-2 / 1e3i"),
  main("type Set[T ~int | ~string] map[T]struct{}; größe := 'ß'; _ = größe // a"),
  "\uFEFFpackage inner\r\n\r\nvar a = `x\r\n`\r\n",
  scriptTemplates.go.script,
  readFileSync(new URL("../../../../../clients/go/connection.go", import.meta.url), "utf8"),
])("valid Go has no errors: text %#", (text) => {
  expect(findGoErrors(text)).toEqual([]);
});
