import { describe, expect, it } from "vitest";
import { itemsOf } from "./description-items.ts";

const one = (item: unknown) => itemsOf({ render_all: [item] })[0];
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe("the items of a description", () => {
  it("a description is a text, an item, or a list of items", () => {
    expect(itemsOf("Please look.")).toEqual([{ kind: "text", text: "Please look." }]);
    expect(itemsOf({ markdown: "# Hi" })).toEqual([{ kind: "markdown", text: "# Hi" }]);
    expect(itemsOf({ render_all: ["a", { html: "<b>b</b>" }, { text: "c" }] }).map(({ kind }) => kind)).toEqual(["text", "html", "text"]);
  });

  it.each([undefined, null, "", { render_all: [] }])("the description %j has no items", (description) => {
    expect(itemsOf(description)).toEqual([]);
  });

  it.each([
    [{ png: PNG }, `data:image/png;base64,${PNG}`],
    [{ image: PNG }, `data:image/png;base64,${PNG}`],
    [{ png: { content: PNG } }, `data:image/png;base64,${PNG}`],
    [{ image: `data:image/gif;base64,R0lGOD` }, "data:image/gif;base64,R0lGOD"],
    [{ svg: "<svg/>" }, "data:image/svg+xml,%3Csvg%2F%3E"],
  ])("the value %j is an image", (item, source) => {
    expect(one(item)).toEqual({ kind: "image", source });
  });

  it("an image of another origin is named and not loaded", () => {
    expect(one({ image: "https://example.com/a.png" })).toEqual({ kind: "remote", address: "https://example.com/a.png" });
  });

  it.each([
    [
      [
        { a: 1, b: "x" },
        { a: 2, c: true },
      ],
    ],
    [
      {
        table: [
          { a: 1, b: "x" },
          { a: 2, c: true },
        ],
      },
    ],
    [
      {
        "table-row": [
          ["a", "b", "c"],
          [1, "x"],
          [2, undefined, true],
        ],
      },
    ],
    [
      {
        table: {
          columns: ["a", "b", "c"],
          rows: [
            [1, "x"],
            [2, undefined, true],
          ],
        },
      },
    ],
    [{ "table-col": { a: [1, 2], b: ["x"], c: [undefined, true] } }],
  ])("the value %j is the same table", (item) => {
    const shown = one(item);
    const cells = shown?.kind === "table" ? shown.rows.map((row) => shown.columns.map((_, index) => row[index])) : [];
    expect([shown?.kind === "table" ? shown.columns : [], cells]).toEqual([
      ["a", "b", "c"],
      [
        [1, "x", undefined],
        [2, undefined, true],
      ],
    ]);
  });

  it("a map contains only markers with coordinates", () => {
    const markers = [
      { lat: 1, lon: 2, title: "A" },
      { lat: "x", lon: 2 },
      { lat: 91, lon: 0 },
      { lat: 3, lon: 4 },
    ];
    expect(one({ map: { lat: 10, lon: 20, zoom: 99, markers } })).toEqual({
      kind: "map",
      view: {
        lat: 10,
        lon: 20,
        zoom: 20,
        markers: [
          { lat: 1, lon: 2, title: "A" },
          { lat: 3, lon: 4, title: "" },
        ],
      },
    });
  });

  const kindless: unknown[] = [
    42,
    true,
    { anything: "else" },
    { map: { lat: "north" } },
    { png: "no picture!" },
    { markdown: 1 },
    { text: "a", html: "b" },
    { table: "none" },
    [1, 2],
    { constructor: "x" },
  ];
  it.each(kindless.map((item) => [item]))("the value %j of an unknown kind is shown as JSON", (item) => {
    expect(one(item)).toEqual({ kind: "json", value: item });
  });

  it("a table with too many columns is JSON, and only the first items and markers are shown", () => {
    const many = Array.from({ length: 100_000 }, (_, at) => ({ [`field ${at}`]: at }));
    expect(itemsOf(many)).toEqual([{ kind: "json", value: many }]);
    const byColumns = Object.fromEntries(many.map((_, at) => [`column ${at}`, []]));
    expect(one({ table: byColumns })).toMatchObject({ kind: "json" });
    expect(one({ table: [many.map((_, at) => at)] })).toMatchObject({ kind: "json" });
    expect(itemsOf({ render_all: many })).toHaveLength(500);
    const markers = many.map(() => ({ lat: 1, lon: 2 }));
    expect(one({ map: { markers } })).toMatchObject({ view: { markers: { length: 500 } } });
  });

  it("a row with a field of the prototype's name has a cell for it", () => {
    const row: unknown = JSON.parse('{"__proto__": 1, "a": null}');
    expect(itemsOf([row])).toEqual([{ kind: "table", columns: ["__proto__", "a"], rows: [[1, null]] }]);
  });
});
