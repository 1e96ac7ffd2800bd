import { describe, expect, it } from "vitest";
import { checkExpression } from "./check-expression.ts";

describe("an expression while it is typed", () => {
  it.each(["results.a.b", "flow_input.x ?? 1", "const x = results.a;\nreturn x", '({ a: 1 })["a"]', "while (true) {}\nreturn 1"])(
    "%j is valid, and is not run",
    (text) => {
      expect(checkExpression(text, ["a"])).toEqual({});
    },
  );

  it.each([
    ["", "Enter an expression."],
    ["results.", "SyntaxError: Unexpected token at line 1, column 9."],
    ["const x = 1", "SyntaxError: it is a list of statements without a return."],
    ["x".repeat(10_001), "An expression has at most 10000 characters."],
  ])("case %# has a problem with its position and reason", (text, problem) => {
    expect(checkExpression(text, [])).toEqual({ problem });
  });

  it("the result of a step that does not come before is null", () => {
    expect(checkExpression("results.later.x + results.a", ["a"]).notice).toContain("later");
  });
});
