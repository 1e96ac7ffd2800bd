import { expect, it } from "vitest";
import { objectTable } from "./object-table.ts";

it("an object under a key that no item can have is absent, and no request is made for it", async () => {
  // Without a table and an endpoint, each request would fail.
  const keys = [
    { pk: "x", sk: "é".repeat(513) },
    { pk: "x".repeat(2049), sk: "x" },
    { pk: "x", sk: "" },
  ];
  for (const key of keys) expect(await objectTable.get(key)).toBeUndefined();
  expect(await objectTable.batchGet(keys)).toEqual([undefined, undefined, undefined]);
});
