import { expect, it } from "vitest";
import { listClientFunctions } from "./client-functions.ts";

it("the editor knows the exported functions of our clients, with their comments", () => {
  const { python3 = [], go = [] } = listClientFunctions();
  expect(python3.find(({ name }) => name === "get_variable")).toEqual({
    name: "get_variable",
    signature: "get_variable(path: str) -> str",
    text: expect.stringMatching(/^Returns the value of a variable/),
  });
  expect(go.find(({ name }) => name === "GetVariable")).toEqual({
    name: "GetVariable",
    signature: "GetVariable(path string) (string, error)",
    text: expect.stringMatching(/^GetVariable returns the value of a variable/),
  });
  expect(python3.map(({ name }) => name)).not.toContain("path_part");
  expect(Math.min(python3.length, go.length)).toBeGreaterThan(20);
});
