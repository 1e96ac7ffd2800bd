import { createHash } from "node:crypto";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { aTar } from "../../test/builders/tar.ts";
import { useBuilder } from "./build-fixture.ts";

const builder = useBuilder();
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

const build = (bytes: Buffer, more: { tar?: boolean; format?: "cjs" | "esm"; sha256?: string } = {}) => {
  const bundle = { sha256: sha256(bytes), tar: false, ...more };
  const bundleUrl = builder.serve(`/${bundle.sha256}`, bytes);
  return builder.build("nodejs", {}, { bundle, bundleUrl });
};
const load = async (dir: string) => (await import(pathToFileURL(join(dir, "main.mjs")).href)) as Record<string, unknown>;

describe("an uploaded bundle", () => {
  it.each([
    ["a module", 'import { sep } from "node:path";\nexport const main = () => sep;\nexport const other = 1;', undefined],
    ["CommonJS", 'exports.main = () => require("node:path").sep;\nexports.other = 1;', undefined],
    ["CommonJS that names its format", 'module.exports = { main: () => require("path").sep, other: 1 };', "cjs"],
  ] as const)("is loaded unchanged: %s", async (_, source, format) => {
    const { result, dir, files } = await build(Buffer.from(source), format ? { format } : {});
    expect(result).toMatchObject({ ok: true, lock: "" });
    expect(Object.keys(files).sort()).toEqual(["main.js", "main.mjs", "package.json"]);
    const module = await load(dir);
    expect((module["main"] as () => string)()).toBe("/");
    if (!format) expect(module["other"]).toBe(1);
  });

  it("may be an archive, whose files are next to the main one", async () => {
    const main =
      'import { readFileSync } from "node:fs";\nexport const main = () => readFileSync(new URL("a/b.txt", import.meta.url), "utf8");';
    const archive = aTar([
      { path: "main.js", content: main },
      { path: "a/b.txt", content: "an asset" },
    ]);
    const { dir } = await build(archive, { tar: true });
    expect(((await load(dir))["main"] as () => string)()).toBe("an asset");
  });

  it("fails to build from a hostile archive, and writes nothing outside", async () => {
    const { result } = await build(aTar([{ path: "main.js" }, { path: "../outside.txt", content: "x" }]), { tar: true });
    expect(result).toMatchObject({ ok: false, error: expect.stringContaining("not a plain path") });
  });

  it("is not used if its content does not match its hash", async () => {
    await expect(build(Buffer.from("x"), { sha256: "0".repeat(64) })).rejects.toThrow("another hash");
  });
});
