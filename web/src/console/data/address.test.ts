import { describe, expect, it } from "vitest";
import { parseSearch, returnAddress, splitRunnable, stringifySearch } from "./address.ts";

describe("the query of an address", () => {
  it("is read as texts and written with readable paths", () => {
    expect(parseSearch("?status=failure&path=f/ops&n=5")).toEqual({ status: "failure", path: "f/ops", n: "5" });
    expect(stringifySearch({ status: "failure", path: "f/ops", from: undefined, search: "" })).toBe("?status=failure&path=f/ops");
    expect(stringifySearch({})).toBe("");
    expect(parseSearch(stringifySearch({ search: 'a&b="c" ?' }))).toEqual({ search: 'a&b="c" ?' });
  });
});

describe("the address of a script or a flow", () => {
  it.each([
    ["f/ops/hello", { path: "f/ops/hello", view: "show" }],
    ["f/ops/hello/history", { path: "f/ops/hello", view: "history" }],
    ["f/ops/hello/edit", { path: "f/ops/hello", view: "edit" }],
    ["f/ops/history", { path: "f/ops/history", view: "show" }],
    ["u/ann/a/b/c", { path: "u/ann/a/b/c", view: "show" }],
  ])("%s is read as its path and view", (rest, expected) => {
    expect(splitRunnable(rest)).toEqual(expected);
  });
});

describe("the address after a sign-in", () => {
  it.each(["//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)", "/login", "", undefined])(
    "is not %s",
    (to) => {
      expect(returnAddress(to)).toBeUndefined();
    },
  );
  it("is one of this origin", () => {
    expect(returnAddress("/w/demo/runs?status=failure")).toBe("/w/demo/runs?status=failure");
  });
});
