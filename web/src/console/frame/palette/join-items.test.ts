import { expect, it } from "vitest";
import { joinItems } from "./join-items.ts";

const item = (kind: string, path: string) => ({ kind, path });

it("items that a search finds follow the loaded ones, each once", () => {
  const loaded = [item("script", "f/a"), item("flow", "f/a")];
  expect(joinItems(loaded, [item("script", "f/a"), item("script", "f/b")])).toEqual([...loaded, item("script", "f/b")]);
  expect(joinItems(loaded, [])).toEqual(loaded);
});
