import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { scriptTemplates } from "../../../../../../contract/templates/script-templates.ts";
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

it.each([
  ["int status", ["status"]],
  ["return a,", ["}"]],
  ["if a = b {}", ["="]],
  ["if { }", ["{"]],
  ["for i := 0; i < 3 { }", ["{"]],
  ["a := ", ["}"]],
  ["f(a b)", ["b"]],
  ["x := []int{1 2}", ["2"]],
  ["var a", ["a"]],
  ["switch a { f() }", ["f"]],
  ["a + ", ["}"]],
  ["else { }", ["else"]],
  ['import "fmt"', ["import"]],
])("a word at which the grammar of Go ends is marked in %j", (body, marked) => {
  expect(errorsOf(main(body)).map(([text]) => text)).toEqual(marked);
});

it("the end of a line and of the text are named, and the first error alone is marked", () => {
  expect(errorsOf("package inner\n\nvar a = f(\n\t1\n)\nfunc\n")).toEqual([["1", "Go does not expect the end of the line here."]]);
  expect(errorsOf("package inner\n\nfunc")).toEqual([["c", "Go does not expect the end of the text here."]]);
});

it("a text with very many levels is checked to there", () => {
  expect(findGoErrors(main(`a := ${"(".repeat(100_000)}1${")".repeat(100_000)}`))).toEqual([]);
  expect(findGoErrors(`package inner\n\nfunc f[${"A, ".repeat(100_000)}B any]() {}\n`)).toEqual([]);
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
  'package inner\n\ntype A[P *C, Q any] []P\ntype B[P []E, E ~int | ~string] struct{ a, b P; *C; d.E `json:"e"`; F[int]; g [3]int }\ntype D [2 * n]int\ntype E = map[string][]func(a ...int) (b error)\n',
  "package inner\n\ntype A interface {\n\tb(c int) <-chan int\n\t~int | *B\n\tC[int] | d.E\n}\n\nfunc (a *A[T]) F(_ int, _ ...string) {}\nfunc G[T any, U interface{ ~[]T }](a T) (b U)\n",
  main("if v, ok := a.(map[string]T); ok && (T{1} == b) {\n} else if f := func() bool { return true }; f() {\n} else {\n}"),
  main("outer: for range 3 { for i, x := range (T{}).a { continue outer; _ = i; _ = x }; break }; for ; ; { }; for a < b { a++ }; done: "),
  main(
    "switch a := b.(type) { case nil, []int, func(int) string, *T: f(a...); fallthrough; default: }; switch { case a < b: return a, b }",
  ),
  main("select { case a, ok := <-b: g(); case c <- d: ; case <-e: default: }; go func() {}(); defer a.b(); x <- y; goto end; *p = -<-q"),
  main(
    "a := [...]T{1: {2, 3}, {4}}; b := map[K]V{{1}: {2},\n}; c := d[1:2:3]; e := f[int, []string](g)(h).i[:]; const j, k = iota, 1 << 2",
  ),
  main("if x == (T{}) && len([]int{1}) > 0 { }; for _, c := range []T{{1}} { }; var f func(int) = func(int) {}; _ = struct{ a int }{1}"),
  scriptTemplates.go.script,
  ...["approvals", "connection", "files", "jobs", "stored", "stream"].map((name) =>
    readFileSync(new URL(`../../../../../../clients/go/${name}.go`, import.meta.url), "utf8"),
  ),
])("valid Go has no errors: text %#", (text) => {
  expect(findGoErrors(text)).toEqual([]);
});
