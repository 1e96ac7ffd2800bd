import { expect, it } from "vitest";
import { mayReadSecrets, readSimpleValue, toArguments } from "./simple-value.ts";

const js = (expr: string) => ({ type: "javascript", expr });
const names = { results: { a: { b: [{ c: 1 }] } }, previous_result: { x: null }, flow_input: { "order-id": 7 } };

it.each([
  ["results.a.b[0].c", 1],
  ["results?.a", { b: [{ c: 1 }] }],
  ["previous_result.x", null],
  ['flow_input["order-id"]', 7],
  ["42", 42],
  ["null", null],
  [' ["x"] ', ["x"]],
  ["variable('f/t/key')", "$var:f/t/key"],
  ['resource( "f/t/db" )', "$res:f/t/db"],
])("an input %s begins with its value", (expression, value) => {
  expect(readSimpleValue(js(expression), names)).toEqual({ value });
});

it.each(["results[name]", "results.b.c", "f()", "results.a.b.map((x) => x)", "variable(path)", "", "resume"])(
  "an input %s is not computed",
  (expression) => {
    expect(readSimpleValue(js(expression), names)).toBeUndefined();
  },
);

it("the arguments of a test are constants, simple values, and what a run had for other expressions", () => {
  const transforms = {
    a: { type: "static", value: 1 },
    b: js("results.a"),
    c: js("f()"),
    d: { type: "static" },
    e: js("params.a"),
    g: js("g()"),
  };
  const found = { names: { results: { a: 2 } }, ran: { b: 3, c: 4 }, prefersRan: false };
  expect(toArguments(transforms, found)).toEqual({ a: 1, b: 2, c: 4, e: 1 });
  expect(toArguments(transforms, { ...found, prefersRan: true })).toMatchObject({ b: 3 });
});

it("an expression that may contain a secret is told from others", () => {
  expect(["variable(path)", "({ ...resource('f/t/db') })", "eval(x)", "params.key", "("].map(mayReadSecrets)).toEqual(Array(5).fill(true));
  expect(["results.variable", "[previous_result]", "resume.x"].map(mayReadSecrets)).toEqual(Array(3).fill(false));
});
