import { expect, it } from "vitest";
import { folderOfPath } from "./folder-of-path.ts";

it.each([
  ["f/ops/daily", "ops"],
  ["f/ops/reports/daily", "ops"],
  ["f/ops/", "ops"],
  // The name of the folder is not complete yet.
  ["f/ops", undefined],
  ["f/", undefined],
  ["u/ann/daily", undefined],
  // No folder can have this name.
  ["f/ops & co/daily", undefined],
  ["", undefined],
])("the folder of the path %j is %j", (path, folder) => {
  expect(folderOfPath(path)).toBe(folder);
});
