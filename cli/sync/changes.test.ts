import { describe, expect, it } from "vitest";
import { type Change, findMissingFolders } from "./changes.ts";

const aChange = (type: Change["type"], kind: string, path: string): Change => ({ key: `${kind} ${path}`, type, kind, path });

describe("findMissingFolders", () => {
  it.each([
    ["an item in a new folder", [aChange("create", "script", "f/ops/greet")], ["ops"]],
    ["several items in it", [aChange("create", "script", "f/ops/a"), aChange("create", "flow", "f/ops/b/c")], ["ops"]],
    ["the folder beside it", [aChange("create", "folder", "ops"), aChange("create", "script", "f/ops/greet")], []],
    ["an existing folder", [aChange("create", "script", "f/known/greet")], []],
    ["an item of a person", [aChange("create", "script", "u/ann/greet")], []],
    ["items that exist or are deleted", [aChange("change", "script", "f/a/b"), aChange("delete", "script", "f/c/d")], []],
  ])("finds the folders that are missing for %s", (_, changes, expected) => {
    expect(findMissingFolders(changes, new Set(["known"]))).toEqual(expected);
  });
});
