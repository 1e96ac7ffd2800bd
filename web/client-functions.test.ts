import { expect, it } from "vitest";
import { listClientFunctions } from "./client-functions.ts";

it("the editor knows the exported functions of our clients, with their comments", () => {
  const { typescript = [], python3 = [], go = [] } = listClientFunctions();
  expect(typescript.find(({ name }) => name === "getVariable")).toEqual({
    name: "getVariable",
    signature: "getVariable(path: string): Promise<string>",
    text: expect.stringMatching(/^Returns the value of a variable/),
  });
  expect(typescript.find(({ name }) => name === "runScript")?.signature).toMatch(
    /^runScript\(path: string \| null, .*tag\?: string\): Promise<T>$/,
  );
  expect(typescript.find(({ text }) => / [@*]/.test(text))).toBeUndefined();
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
  expect(typescript.map(({ name }) => name)).not.toContain("call");
  expect(Math.min(typescript.length, python3.length, go.length)).toBeGreaterThan(20);
});
