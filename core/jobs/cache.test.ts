import { describe, expect, it } from "vitest";
import { computeCacheKey, findFileReferences } from "./cache.ts";

const job = { workspace: "w", hash: "0123456789abcdef", email: "a@b.c", permissionedAs: "u/a", superAdmin: false };
const key = (args: unknown, more: Partial<Parameters<typeof computeCacheKey>[1]> = {}) => computeCacheKey(job, { args, ...more });

describe("the key of a cached result", () => {
  it("equal input in any order has the same key", () => {
    expect(key({ a: 1, b: { c: 2, d: 3 } })).toBe(key({ b: { d: 3, c: 2 }, a: 1 }));
    expect(key({ a: 1 })).toMatch(/^cache#w#/);
  });

  it.each([
    ["the arguments", key({ a: "1" })],
    ["the number of arguments", key({ a: 1, b: null })],
    ["the lists in the arguments", key({ a: [1] })],
    ["the stored objects behind references", key({ a: 1 }, { references: "x" })],
    ["the version", computeCacheKey({ ...job, hash: "1123456789abcdef" }, { args: { a: 1 } })],
    ["the workspace", computeCacheKey({ ...job, workspace: "v" }, { args: { a: 1 } })],
    ["the address of the user", computeCacheKey({ ...job, email: "b@b.c" }, { args: { a: 1 } })],
    ["the identity", computeCacheKey({ ...job, permissionedAs: "u/b" }, { args: { a: 1 } })],
    ["whether a preprocessor receives them", computeCacheKey({ ...job, preprocess: "wanted" }, { args: { a: 1 } })],
    ["whether the user is a superadmin", computeCacheKey({ ...job, superAdmin: true }, { args: { a: 1 } })],
  ])("the key depends on %s", (_what, other) => {
    expect(other).not.toBe(key({ a: 1 }));
  });

  it("the key depends on the content of files, and on their paths unless paths are ignored", () => {
    const file = (s3: string, content: string, ignorePaths = false) =>
      key({ doc: { s3 } }, { files: new Map([[s3, content]]), ignorePaths });
    expect(file("a", "1")).toBe(file("a", "1"));
    expect(file("a", "1")).not.toBe(file("a", "2"));
    expect(file("a", "1")).not.toBe(file("b", "1"));
    expect(file("a", "1", true)).toBe(file("b", "1", true));
    expect(file("a", "1", true)).not.toBe(file("b", "2", true));
    const short = (content: string, ignorePaths: boolean) => key({ doc: "s3:///a" }, { files: new Map([["a", content]]), ignorePaths });
    expect(short("1", true)).not.toBe(short("2", true));
    expect(short("1", false)).not.toBe(short("2", false));
    const swapped = (one: string, two: string) => {
      const files = new Map([
        ["a", one],
        ["b", two],
      ]);
      return key({ x: { s3: "a" }, y: { s3: "b" } }, { files, ignorePaths: true });
    };
    expect(swapped("1", "2")).not.toBe(swapped("2", "1"));
  });

  it("files behind references are part of the key", () => {
    const behind = (content: string) => key({ a: "$res:f/t/doc" }, { references: "x", files: new Map([["k", content]]) });
    expect(behind("1")).not.toBe(behind("2"));
  });
});

describe("arguments without a canonical form", () => {
  it.each([
    ["half a surrogate pair", "a\ud800"],
    ["the other half", "\udc00a"],
    ["an infinite number", Number.POSITIVE_INFINITY],
    ["NaN", Number.NaN],
  ])("have no key, so that no run gets the result of another one: %s", (_, value) => {
    for (const args of [{ a: value }, { a: [{ b: value }] }]) expect(key(args)).toBeUndefined();
    if (typeof value === "string") expect(key({ [value]: 1 })).toBeUndefined();
    expect(key({ a: 1 }, { files: new Map([["k", "e"]]), ignorePaths: true })).toBeDefined();
  });

  it("differ from whole numbers of any size, which have a key", () => {
    const large = [2n ** 53n, 2n ** 53n + 1n, 10n ** 400n, -(10n ** 400n), Number.MAX_VALUE, 5e-324];
    expect(new Set(large.map((a) => key({ a }))).size).toBe(large.length);
    expect(key({ a: large[0] })).toBeDefined();
  });
});

describe("files in values", () => {
  it("each file is found once, at any depth and in both forms, and nothing else is a file", () => {
    const { keys, elsewhere } = findFileReferences({
      a: [{ s3: "x" }, { b: { s3: "y", storage: "_default_" } }],
      c: { s3: "x" },
      d: "s3:///z",
      e: { s3: 1 },
    });
    expect([keys.sort(), elsewhere]).toEqual([["x", "y", "z"], false]);
    expect(findFileReferences({ a: { s3: ["x"] }, b: "s3", s3: null })).toEqual({ keys: [], elsewhere: false });
  });

  it.each([{ s3: "x", storage: "second" }, "s3://second/x", { s3: "s3://second/x" }])(
    "a file in another storage is detected: %j",
    (file) => {
      expect(findFileReferences([file])).toEqual({ keys: [], elsewhere: true });
    },
  );
});
