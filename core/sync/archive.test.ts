import fc from "fast-check";
import { expect, it } from "vitest";
import { anySyncItem } from "../../test/builders/sync-items.ts";
import { fromArchive, toArchive } from "./archive.ts";
import { compareItems, itemKey } from "./item.ts";

it.each(["bun", "deno"] as const)("returns the same items from their archive, with %s as the default runtime", (defaultTs) => {
  const items = fc.uniqueArray(anySyncItem, { selector: itemKey, maxLength: 5 });
  fc.assert(
    fc.property(items, (all) => {
      const read = fromArchive(toArchive(all, { defaultTs }), { defaultTs });
      expect(read.strange).toEqual([]);
      expect(read.items.sort(compareItems)).toEqual(all.toSorted(compareItems));
    }),
  );
});

it("sorts the entries by name, whatever the order of the items", () => {
  fc.assert(
    fc.property(fc.uniqueArray(anySyncItem, { selector: itemKey, maxLength: 5 }), (all) => {
      const forwards = [...toArchive(all, { defaultTs: "bun" })];
      expect([...toArchive(all.toReversed(), { defaultTs: "bun" })]).toEqual(forwards);
      expect(forwards.map(([name]) => name)).toEqual(forwards.map(([name]) => name).sort());
    }),
  );
});

it("reports a script whose path has a dot, because its file name would mean another path", () => {
  const script = { kind: "script", path: "f/a/b.c", language: "bun" as const, content: "x", value: { summary: "" } };
  expect(fromArchive(toArchive([script], { defaultTs: "bun" }), { defaultTs: "bun" })).toEqual({
    items: [],
    strange: ["f/a/b.c.script.json"],
  });
});
