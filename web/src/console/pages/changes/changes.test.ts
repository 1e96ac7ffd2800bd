import { expect, it } from "vitest";
import { changedSince, describeChange } from "./changes.ts";

const version = (id: string, day: number, savedBy: string) => ({ id, savedAt: `2026-01-0${day}T00:00:00Z`, savedBy, message: "" });
const versions = [version("c", 5, "bo"), version("b", 4, "ann"), version("a", 2, "cy")];
const at = (day: number) => Date.parse(`2026-01-0${day}T00:00:00Z`);

it("an object is compared with its newest version at the time, and names everyone who has saved it since", () => {
  expect(describeChange(versions, at(3))).toEqual({ newest: versions[0], before: versions[2], authors: ["bo", "ann"] });
});

it("a version that was saved at the time itself has been pushed already", () => {
  expect(describeChange(versions, at(4)).before?.id).toBe("b");
});

it("an object that was created after the time has no older version", () => {
  expect(describeChange(versions, at(1))).toMatchObject({ before: undefined, authors: ["bo", "ann", "cy"] });
});

it("the objects that were saved after a time are listed with the last one first", () => {
  const items = [1, 4, 3].map((day) => ({ editedAt: `2026-01-0${day}T00:00:00Z` }));
  expect(changedSince(items, at(2)).map(({ editedAt }) => editedAt)).toEqual(["2026-01-04T00:00:00Z", "2026-01-03T00:00:00Z"]);
});
