import { expect, it } from "vitest";
import { archiveQuery } from "../routes/sync/sync.ts";
import { findKind, kindNames } from "./kinds.ts";

it.each(kindNames)("the kind %s has a parameter of the archive only if the archive's route knows it", (name) => {
  const { parameter } = findKind(name) ?? {};
  if (parameter !== undefined) expect(Object.keys(archiveQuery.shape)).toContain(parameter);
});

it("a name of the prototype is no kind", () => {
  expect(["constructor", "__proto__", "toString", ""].map(findKind)).toEqual([undefined, undefined, undefined, undefined]);
});
