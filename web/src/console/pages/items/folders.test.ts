import { expect, it } from "vitest";
import { foldersOf, listFolders } from "./folders.ts";
import { type Item, matching } from "./items.ts";

const paths = ["f/ops/hello", "f/ops/night/clean", "f/ops/night/deep/x", "f/shop/order", "u/ann/try"];

it("an item is in each folder above it", () => {
  expect(foldersOf("f/ops/night/deep/x")).toEqual(["f/ops", "f/ops/night", "f/ops/night/deep"]);
  expect(foldersOf("f/ops/hello")).toEqual(["f/ops"]);
});

it("folders are counted with all that is below them, and those inside the open one are listed", () => {
  const named = (openPath: string) => listFolders(paths, openPath).map(({ path, depth, count }) => [path, depth, count]);
  expect(named("")).toEqual([
    ["f/ops", 0, 3],
    ["f/shop", 0, 1],
    ["u/ann", 0, 1],
  ]);
  expect(named("f/ops/night")).toEqual([
    ["f/ops", 0, 3],
    ["f/ops/night", 1, 2],
    ["f/ops/night/deep", 2, 1],
    ["f/shop", 0, 1],
    ["u/ann", 0, 1],
  ]);
});

it("the time to list and to search items grows with their number, and not with its square", () => {
  // Quadratic time would exceed the time of the test.
  const items = Array.from(
    { length: 400_000 },
    (_, n) => ({ path: `f/folder${n % 80_000}/item${n}`, summary: `Number ${n}`, kind: "script" }) as Item,
  );
  expect(matching(items, { folder: "", kind: "", search: "item99" })).toHaveLength(1111);
  expect(
    listFolders(
      items.map(({ path }) => path),
      "f/folder7",
    ),
  ).toHaveLength(80_000);
});

it("items match by kind, folder and each word of a text", () => {
  const items = [
    { path: "f/ops/hello", summary: "Greets a person", kind: "script" },
    { path: "f/ops2/hello", summary: "", kind: "flow" },
  ] as Item[];
  const found = (filter: Partial<Parameters<typeof matching>[1]>) =>
    matching(items, { folder: "", kind: "", search: "", ...filter }).map(({ path }) => path);
  expect(found({})).toHaveLength(2);
  expect(found({ folder: "f/ops" })).toEqual(["f/ops/hello"]);
  expect(found({ kind: "flow" })).toEqual(["f/ops2/hello"]);
  expect(found({ search: "PERSON hello" })).toEqual(["f/ops/hello"]);
  // The service has found the phrase in a source.
  const inSource = new Map([["flow f/ops2/hello", "a phrase"]]);
  expect(matching(items, { folder: "", kind: "", search: "phrase" }, inSource).map(({ path }) => path)).toEqual(["f/ops2/hello"]);
});
