import { describe, expect, it } from "vitest";
import { listInputs, switchMode } from "./transforms.ts";

describe("an input of a step", () => {
  it("keeps the constant while it is an expression, and the other way round", () => {
    const constant = { type: "static", value: { a: 1 }, note: "mine" };
    const expression = switchMode("flow a x", constant, "javascript");
    expect(expression).toEqual({ type: "javascript", expr: "" });
    const typed = { ...expression, expr: "results.b" };
    expect(switchMode("flow a x", typed, "static")).toEqual(constant);
    expect(switchMode("flow a x", constant, "javascript")).toEqual(typed);
    expect(switchMode("flow a other", constant, "javascript")).toEqual({ type: "javascript", expr: "" });
  });

  it("that a model fills in becomes a constant on request", () => {
    expect(switchMode("flow m x", { type: "ai" }, "static")).toEqual({ type: "static" });
  });

  it("is listed although the schema does not have it", () => {
    expect(listInputs(["b", "a"], { a: {}, old: {} })).toEqual(["b", "a", "old"]);
  });
});
