import { describe, expect, it } from "vitest";
import { findAffectedItems, listBundleParts } from "./affected-items.ts";

const script = (path: string) => ({ kind: "script", path }) as const;
const bundles = [
  { item: script("f/a/x"), paths: ["f/a/x.ts", "lib/tax.ts"] },
  { item: script("f/a/y"), paths: ["f/a/y.ts", "f/a/x.ts", "lib/tax.ts", "texts"] },
];

describe("findAffectedItems", () => {
  it.each([
    ["f/b/greet.ts", ["script f/b/greet"]],
    ["f/b/greet.script.yaml", ["script f/b/greet"]],
    ["f/b/greet.ts.args.json", ["script f/b/greet"]],
    ["f/b/greet.node.ts.args.json", ["script f/b/greet"]],
    ["f/b/big__mod/part.ts", ["script f/b/big"]],
    ["f/b/big__mod.args.json", ["script f/b/big"]],
    ["f/b/two.flow/step.py", ["flow f/b/two"]],
    ["f/b/two.flow/flow.yaml", ["flow f/b/two"]],
    ["f/b/two.flow.args.json", ["flow f/b/two"]],
    ["f/b/two__flow.args.json", ["flow f/b/two"]],
    ["lib/tax.ts", ["script f/a/x", "script f/a/y"]],
    ["f/a/x.ts", ["script f/a/x", "script f/a/y"]],
    ["f/b/db.resource.yaml", []],
    ["f/b/board.app/app.yaml", []],
    ["f/b/notes.md", []],
    ["texts/de/hello.txt", ["script f/a/y"]],
    ["texts.ts", []],
    ["lib/other.ts", []],
    ["lib/other.args.json", []],
  ])("the file %s belongs to %j", (file, expected) => {
    expect(findAffectedItems(file, { defaultTs: "bun", bundles }).map(({ kind, path }) => `${kind} ${path}`)).toEqual(expected);
  });
});

describe("listBundleParts", () => {
  const bundle = {
    digest: "",
    bytes: new Uint8Array(),
    tar: false,
    inputs: ["f/a/x.ts", "../lib/b.ts", "node_modules/p/index.js", "svc-client:index.js"],
  };
  const partsOf = (codebase: object, made?: typeof bundle) =>
    listBundleParts({
      bundled: { source: "f/a/x.ts", codebase: { relative_path: "./f/a", ...codebase } },
      ...(made ? { bundle: made } : {}),
    });

  it("lists the imported files and the assets, and no packages", () => {
    expect(partsOf({ assets: [{ from: "./texts", to: "t" }] }, bundle)).toEqual(["f/a/x.ts", "../lib/b.ts", "texts"]);
  });

  it("lists the complete codebase if its bundler reports no files", () => {
    expect(partsOf({ customBundler: "bundler.mjs" })).toEqual(["f/a", "bundler.mjs"]);
    expect(listBundleParts({})).toEqual([]);
  });
});
