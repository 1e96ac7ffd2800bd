import { beforeAll, describe, expect, it } from "vitest";
import { aTar } from "../../builders/tar.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

/** A bundle as esbuild writes it, for the source `export function main(name) {…}`. */
const commonjs = `"use strict";
var __defProp = Object.defineProperty;
var __export = (target, all) => { for (var name in all) __defProp(target, name, { get: all[name], enumerable: true }); };
var entry_exports = {};
__export(entry_exports, { main: () => main, other: () => other });
module.exports = Object.assign(Object.defineProperty({}, "__esModule", { value: true }), { main: (...a) => main(...a), other: (...a) => other(...a) });
var path = require("node:path");
function main(name) { return path.join("hello", name); }
function other() { return "other"; }
0 && (module.exports = { main, other });
`;
const esm =
  'import { join } from "node:path";\nexport function main(name) { return join("hello", name); }\nexport const other = () => "other";\n';
const source = 'import { lib } from "../../lib";\nexport function main(name: string) { return lib(name); }';

async function send(route: string, part: string, json: object, file: string | Buffer) {
  const form = new FormData();
  form.append(part, JSON.stringify(json));
  // A CLI sends a source as a field, and an archive as a file.
  form.append("file", typeof file === "string" ? file : new Blob([new Uint8Array(file)]));
  const encoded = new Response(form);
  const body = new Uint8Array(await encoded.arrayBuffer());
  return ws.call("POST", route, { body, headers: { "content-type": encoded.headers.get("content-type") ?? "" } });
}
const save = (script: object, file: string | Buffer) =>
  send("scripts/create_snapshot", "script", { summary: "", description: "", content: source, ...script }, file);

describe("a script with a bundle", () => {
  it.each([
    ["nodejs", "f/t/cjs_node", commonjs, "d1"],
    ["bun", "f/t/cjs_bun", commonjs, "d2"],
    ["nodejs", "f/t/esm_node", esm, "d3.esm"],
    ["bun", "f/t/esm_bun", esm, "d4"],
  ])("runs the bundle in %s: %s", async (language, path, bundle, codebase) => {
    const hash = expectStatus(await save({ path, language, codebase }, bundle), 201).text;
    expect(hash).toMatch(/^[0-9a-f]{16}$/);
    expect((await ws.runWait(path, { name: "ann" })).json).toBe("hello/ann");
    expect((await ws.runWait(path, { _ENTRYPOINT_OVERRIDE: "other" })).json).toBe("other");
    expect((await ws.get(`scripts/get/p/${path}`)).json).toMatchObject({ hash, content: source, codebase, lock: "" });
  });

  it("may be an archive with other files", async () => {
    const main =
      'const { readFileSync } = require("node:fs");\nexports.main = () => readFileSync(require("node:path").join(__dirname, "assets/a.txt"), "utf8");';
    const archive = aTar([
      { path: "main.js", content: main },
      { path: "assets/a.txt", content: "an asset" },
    ]);
    for (const language of ["nodejs", "bun"]) {
      expectStatus(await save({ path: `f/t/tar_${language}`, language, codebase: "d5.tar" }, archive), 201);
      expect((await ws.runWait(`f/t/tar_${language}`)).json).toBe("an asset");
    }
    const preview = { kind: "tarbundle", format: "cjs", language: "bun", path: "f/t/preview" };
    const job = expectStatus(await send("jobs/run/preview_bundle", "preview", preview, archive), 201).text;
    expect(await ws.completed(job)).toMatchObject({ job_kind: "preview", success: true, result: "an asset", script_path: "f/t/preview" });
  });

  it("is refused in another language, and with a hostile archive", async () => {
    const refused = await save({ path: "f/t/deno", language: "deno", codebase: "d6" }, esm);
    expect([refused.status, refused.headers.get("x-svc-error")]).toEqual([400, "bundle.language"]);
    const hostile = aTar([{ path: "main.js" }, { path: "link", type: "2", link: "/etc/passwd" }]);
    const preview = { kind: "tarbundle", format: "cjs", language: "bun" };
    const answer = await send("jobs/run/preview_bundle", "preview", preview, hostile);
    expect([answer.status, answer.headers.get("x-svc-error")]).toEqual([400, "bundle.invalid"]);
  });
});
