import { expect, it } from "vitest";
import { chooseWorkspace } from "./last-workspaces.ts";

it("a sign-in opens the workspace that was used last, otherwise the first", () => {
  expect(chooseWorkspace(["a", "b", "c"], { b: 2, c: 1, gone: 3 })).toBe("b");
  expect(chooseWorkspace(["a", "b"], {})).toBe("a");
  expect(chooseWorkspace([], { gone: 3 })).toBeUndefined();
});
