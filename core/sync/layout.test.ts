import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anySyncItem, fileTypes } from "../../test/builders/sync-items.ts";
import { type LayoutOptions, toFiles } from "./layout.ts";
import { parseFiles } from "./parse-files.ts";

const layouts: LayoutOptions[] = (["bun", "deno"] as const).flatMap((defaultTs) =>
  [false, true].map((nonDottedPaths) => ({ defaultTs, nonDottedPaths, fileTypes })),
);

describe("the layout of files", () => {
  it.each(layouts)("returns the same item from its files, and the same files from that item ($defaultTs, $nonDottedPaths)", (options) => {
    fc.assert(
      fc.property(anySyncItem, (item) => {
        const files = toFiles(item, options);
        const { items, problems } = parseFiles(files, options);
        expect(problems).toEqual([]);
        expect(items).toEqual([item]);
        for (const again of items) expect([...toFiles(again, options)].sort()).toEqual([...files].sort());
      }),
      { numRuns: 400 },
    );
  });
});
