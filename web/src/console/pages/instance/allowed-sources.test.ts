import { expect, it } from "vitest";
import { fromSourceRows, toSourceRows } from "./allowed-sources.ts";

it("the sources of each workspace are a row, and values of another form are left to JSON", () => {
  const stored = { demo: ["arn:aws:s3:::incoming"], shop: [] };
  const rows = toSourceRows(stored);
  expect(rows).toEqual([
    { workspace: "demo", sources: ["arn:aws:s3:::incoming"] },
    { workspace: "shop", sources: [] },
  ]);
  expect(fromSourceRows(rows ?? [])).toEqual(stored);
  expect([toSourceRows(null), fromSourceRows([])]).toEqual([[], null]);
  for (const odd of [[], "demo", { demo: "arn" }, { demo: [1] }]) expect(toSourceRows(odd)).toBeUndefined();
});

it("a row needs a workspace that no other row names", () => {
  expect(fromSourceRows([{ workspace: "", sources: ["a"] }])).toBeUndefined();
  expect(fromSourceRows([1, 2].map(() => ({ workspace: "demo", sources: [] })))).toBeUndefined();
});
