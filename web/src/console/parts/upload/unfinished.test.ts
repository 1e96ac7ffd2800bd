import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { fakeStorage } from "../../../../../test/support/console/storage.ts";
import { forgetPerson } from "../../data/browser-storage.ts";
import { continues, forgetUnfinished, keepUnfinished, listUnfinished, type UnfinishedUpload } from "./unfinished.ts";

beforeEach(() => void vi.stubGlobal("localStorage", fakeStorage()));
afterEach(() => vi.unstubAllGlobals());

const ann = { workspace: "ops", username: "ann" };
const large: UnfinishedUpload = {
  id: "1",
  name: "large.bin",
  size: 20,
  lastModified: 5,
  storedBytes: 8,
  expiresAt: "2026-01-02T00:00:00.000Z",
  target: { key: "f/t/large.bin", storage: undefined },
};
const before = Date.parse("2026-01-01T00:00:00.000Z");

it("an unfinished upload is found by its person in its workspace, until it is complete or the person signs out", () => {
  keepUnfinished(ann, large);
  keepUnfinished(ann, { ...large, id: "2" });
  expect(listUnfinished(ann, before).map(({ id }) => id)).toEqual(["1", "2"]);
  for (const other of [
    { ...ann, username: "bob" },
    { ...ann, workspace: "op" },
  ])
    expect(listUnfinished(other, before)).toEqual([]);
  forgetUnfinished(ann, "1");
  expect(listUnfinished(ann, before)).toEqual([{ ...large, id: "2" }]);
  forgetPerson();
  expect(listUnfinished(ann, before)).toEqual([]);
});

it("an expired upload is removed, and so is a value of another form", () => {
  keepUnfinished(ann, large);
  keepUnfinished(ann, { ...large, id: "2", size: "20" as never });
  expect(listUnfinished(ann, before)).toEqual([large]);
  expect(Object.keys(localStorage)).toHaveLength(1);
  expect(listUnfinished(ann, Date.parse(large.expiresAt))).toEqual([]);
  expect(Object.keys(localStorage)).toEqual([]);
});

it.each([
  ["the same file and key", large, large.target, true],
  ["another name", { ...large, name: "other.bin" }, large.target, false],
  ["another size", { ...large, size: 21 }, large.target, false],
  ["a later change", { ...large, lastModified: 6 }, large.target, false],
  ["another key", large, { key: "f/t/other.bin", storage: undefined }, false],
  ["another storage", large, { key: "f/t/large.bin", storage: "second" }, false],
  ["no key", large, undefined, false],
])("an upload continues an earlier one only with its file and its key: %s", (_, file, target, isContinued) => {
  expect(continues(large, file, target)).toBe(isContinued);
});
