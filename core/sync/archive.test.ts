import fc from "fast-check";
import { expect, it } from "vitest";
import { anySyncItem } from "../../test/builders/sync-items.ts";
import { fromArchive, toArchive, UNREADABLE } from "./archive.ts";
import { compareItems, itemKey, type SyncItem } from "./item.ts";

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

const aScript = (path: string, language: "bun" | "nodejs" = "bun"): SyncItem => ({
  kind: "script",
  path,
  language,
  content: `${path} in ${language}`,
  value: { summary: "" },
});
const roundTrip = (items: SyncItem[]) => fromArchive(toArchive(items, { defaultTs: "bun" }), { defaultTs: "bun" });

it("distinguishes a dot in the name of a script from the extension of a file", () => {
  const items = [aScript("f/a/b", "nodejs"), aScript("f/a/b.node"), aScript("f/a/v1.2")];
  const { items: read, strange } = roundTrip(items);
  expect(strange).toEqual([]);
  expect(read.sort(compareItems)).toEqual(items);
});

it("reports an item below a folder that is another item by its name", () => {
  const items = [aScript("f/a/b.flow/c"), { kind: "variable", path: "f/a/b__mod/c", value: { value: "" } }];
  expect(roundTrip(items)).toMatchObject({ items: [], strange: expect.arrayContaining(["script f/a/b.flow/c"]) });
});

it("states the versions of scripts in its own entry, which changes no other entry", () => {
  const item = { ...aScript("f/a/b"), version: "0123456789abcdef" };
  expect(roundTrip([item]).items).toEqual([item]);
  const [plain, versioned] = [toArchive([aScript("f/a/b")], { defaultTs: "bun" }), toArchive([item], { defaultTs: "bun" })];
  expect([...versioned.keys()].filter((name) => !plain.has(name))).toEqual(["versions.json"]);
});

it.each([
  ["f/a/b.variable.json", "variable f/a/b"],
  ["f/a/b.script.json", "script f/a/b"],
  ["f/a/b.ts", "script f/a/b"],
  ["dependencies/package.json", "dependencies package.json"],
])("leaves out an item whose entry %s is repeated or broken", (name, key) => {
  const items = [
    aScript("f/a/b"),
    { kind: "variable", path: "f/a/b", value: {} },
    { kind: "dependencies", path: "package.json", value: "{}" },
  ];
  const { items: read, strangeKeys } = fromArchive(toArchive(items, { defaultTs: "bun" }).set(name, UNREADABLE), { defaultTs: "bun" });
  expect([...strangeKeys]).toEqual([key]);
  expect(read.map(itemKey).sort()).toEqual(
    items
      .map(itemKey)
      .filter((one) => one !== key)
      .sort(),
  );
});
