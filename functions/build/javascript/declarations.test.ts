import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { collectDeclarations } from "./declarations.ts";

let dir = "";
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Writes packages, and collects what a script with these imports needs. Manifests are objects. */
async function collect(packages: Record<string, string | object>, imports: string[], most?: { files: number; bytes: number }) {
  dir = mkdtempSync(join(tmpdir(), "svc-declarations-"));
  for (const [path, content] of Object.entries(packages)) {
    mkdirSync(dirname(join(dir, "node_modules", path)), { recursive: true });
    writeFileSync(join(dir, "node_modules", path), typeof content === "string" ? content : JSON.stringify(content));
  }
  return await collectDeclarations(dir, { "f/t/a": imports.map((name) => `import "${name}";\n`).join("") }, most);
}
const pathsOf = async (packages: Record<string, string | object>, imports: string[]) =>
  Object.keys((await collect(packages, imports)).files).sort();

describe("the declarations of packages", () => {
  it("are those of an import, and of the files and packages to which these refer", async () => {
    const { files, omitted } = await collect(
      {
        "a/package.json": { name: "a", version: "1.2.3", types: "lib/index.d.ts", scripts: { install: "evil" } },
        "a/lib/index.d.ts": 'export * from "./part.js";\nimport type { B } from "b";\nexport type T = import("b/sub").S | B;',
        "a/lib/part.d.ts": '/// <reference path="extra.d.ts" />\nexport const part: 1;',
        "a/lib/extra.d.ts": "declare type Extra = 1;",
        "a/lib/unused.d.ts": "",
        "a/lib/index.js": "",
        "a/node_modules/b/package.json": { name: "b", exports: { ".": { types: "./b.d.mts" }, "./*": { import: "./dist/*.mjs" } } },
        "a/node_modules/b/b.d.mts": "export type B = 1;",
        "a/node_modules/b/dist/sub.d.mts": "export type S = 1;",
        "b/package.json": { name: "b" },
        "b/index.d.ts": "",
      },
      ["a@1"],
    );
    expect(Object.keys(files).sort()).toEqual(
      [
        "a/lib/extra.d.ts",
        "a/lib/index.d.ts",
        "a/lib/part.d.ts",
        "a/node_modules/b/b.d.mts",
        "a/node_modules/b/dist/sub.d.mts",
        "a/node_modules/b/package.json",
        "a/package.json",
      ].map((path) => `node_modules/${path}`),
    );
    expect(JSON.parse(files["node_modules/a/package.json"] ?? "")).toEqual({ name: "a", version: "1.2.3", types: "lib/index.d.ts" });
    expect(omitted).toEqual([]);
  });

  it.each<[string, Record<string, string | object>, string, string[]]>([
    ["the main file", { "a/package.json": { main: "./dist/a.cjs" }, "a/dist/a.d.cts": "" }, "a", ["a/dist/a.d.cts"]],
    [
      "the names of sources",
      { "a/package.json": {}, "a/index.d.ts": 'export * from "./b.ts"; export * from "./c.mts";', "a/b.d.ts": "", "a/c.mts": "" },
      "a",
      ["a/b.d.ts", "a/c.mts", "a/index.d.ts"],
    ],
    ["no field of the manifest", { "a/package.json": {}, "a/index.d.ts": "" }, "a", ["a/index.d.ts"]],
    ["a path without exports", { "a/package.json": {}, "a/sub/index.d.ts": "" }, "a/sub", ["a/sub/index.d.ts"]],
    [
      "nested conditions",
      { "a/package.json": { exports: { require: "./a.cjs", import: { types: "./a.d.ts", default: "./b.js" } } }, "a/a.d.ts": "" },
      "a",
      ["a/a.d.ts"],
    ],
    [
      "the first condition with a declaration",
      { "a/package.json": { exports: { ".": { import: "./src/a.js", types: "./types/a.d.ts" } } }, "a/types/a.d.ts": "" },
      "a",
      ["a/types/a.d.ts"],
    ],
    [
      "another package",
      { "@s/a/package.json": {}, "@types/s__a/package.json": { types: "x" }, "@types/s__a/x.d.ts": "" },
      "@s/a",
      ["@types/s__a/x.d.ts"],
    ],
  ])("are found by %s", async (_, packages, imported, expected) => {
    const paths = await pathsOf(packages, [imported]);
    expect(paths.filter((path) => !path.endsWith("package.json"))).toEqual(expected.map((path) => `node_modules/${path}`));
  });

  it.each<[string, Record<string, string | object>]>([
    ["a path outside of it", { "a/package.json": { types: "../b/b.d.ts" }, "b/b.d.ts": "" }],
    ["a target outside of it", { "a/package.json": { exports: "./../../outside.d.ts" }, "../outside.d.ts": "" }],
    ["an absolute path", { "a/package.json": { types: "/etc/passwd" } }],
    ["another kind of file", { "a/package.json": { types: "./package.json" } }],
    [
      "conditions without an end",
      { "a/package.json": `{"exports":${'{"types":'.repeat(5000)}"./a.d.ts"${"}".repeat(5000)}}`, "a/a.d.ts": "" },
    ],
    ["a name that no file can have", { "a/package.json": { types: "a\0.d.ts" } }],
    ["a manifest that is none", { "a/package.json": "[1" }],
  ])("are none if a package names %s", async (_, packages) => {
    expect(await pathsOf(packages, ["a"])).toEqual([]);
  });

  it("are not read through links, nor outside of their package", async () => {
    dir = mkdtempSync(join(tmpdir(), "svc-declarations-"));
    mkdirSync(join(dir, "node_modules/a"), { recursive: true });
    writeFileSync(join(dir, "secret.d.ts"), "secret");
    writeFileSync(join(dir, "node_modules/a/package.json"), '{"types":"index.d.ts"}');
    symlinkSync(join(dir, "secret.d.ts"), join(dir, "node_modules/a/link.d.ts"));
    for (const path of ["../../secret", "./link"]) {
      writeFileSync(join(dir, "node_modules/a/index.d.ts"), `export * from "${path}";`);
      expect(await collectDeclarations(dir, { "f/t/a": 'import "a";' })).toEqual({ files: {}, omitted: ["a"] });
    }
  });

  it("lack their comments if they are too large with them, and strings that look like one remain", async () => {
    const packages = {
      "a/package.json": {},
      "a/index.d.ts": `/** ${"long\n * ".repeat(500)}*/\nexport type A = "image/*" | "*/*";\n  /** from "./none" */ export type B = 1;\n`,
    };
    const bounds = { files: 10, bytes: 500 };
    const { files, omitted } = await collect(packages, ["a"], bounds);
    expect(files["node_modules/a/index.d.ts"]).toBe('export type A = "image/*" | "*/*";\n export type B = 1;');
    expect(omitted).toEqual([]);
    expect((await collect(packages, ["a"])).files["node_modules/a/index.d.ts"]).toContain("long");
  });

  it("are absent if names would be missing", async () => {
    const packages = (text: string) => ({ "a/package.json": {}, "a/index.d.ts": text });
    expect(await collect(packages('export * from "./none";'), ["a"])).toEqual({ files: {}, omitted: ["a"] });
    expect((await collect(packages('import * as none from "./none"; export { b } from "./none";'), ["a"])).omitted).toEqual([]);
  });

  it("are complete or absent for each import, and an import that is too large takes nothing from the others", async () => {
    const packages = {
      "large/package.json": {},
      "large/index.d.ts": 'export * from "./b";',
      "large/b.d.ts": "\u0001".repeat(2000),
      "small/package.json": {},
      "small/index.d.ts": "export const small: 1;",
    };
    const { files, omitted } = await collect(packages, ["large", "small", "none"], { files: 100, bytes: 10_000 });
    expect([Object.keys(files).sort(), omitted]).toEqual([["node_modules/small/index.d.ts", "node_modules/small/package.json"], ["large"]]);
    expect((await collect(packages, ["large", "small"], { files: 2, bytes: 100_000 })).omitted).toEqual(["large"]);
  });
});
