import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unpackPackage } from "../test/support/cli/unpack-package.ts";
import { packClients } from "./pack.ts";

let out: string;
beforeAll(async () => {
  out = mkdtempSync(join(tmpdir(), "svc-clients-pack-"));
  await packClients(out);
});
afterAll(() => rmSync(out, { recursive: true, force: true }));

const filesOf = (folder: string): Map<string, Buffer> => {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map(({ parentPath, name }) => [join(parentPath, name).slice(folder.length + 1), readFileSync(join(parentPath, name))]),
  );
};
const unzip = (name: string) => Object.keys(unzipSync(readFileSync(join(out, name))));
const find = (pattern: RegExp) => [...filesOf(out).keys()].find((name) => pattern.test(name)) ?? "";
const sourcesIn = (folder: string, ending: string) =>
  readdirSync(join(import.meta.dirname, folder))
    .filter((name) => name.endsWith(ending))
    .sort();

describe("the packages of the clients", () => {
  it("have equal bytes for equal sources", async () => {
    const again = mkdtempSync(join(tmpdir(), "svc-clients-again-"));
    await packClients(again);
    expect(filesOf(again)).toEqual(filesOf(out));
    rmSync(again, { recursive: true, force: true });
  });

  it("contain every source, and nothing that only the checkout needs", async () => {
    const modules = sourcesIn("typescript/src", ".ts").map((name) => name.replace(/\.ts$/, ""));
    const npm = await unpackPackage(readFileSync(join(out, find(/\.tgz$/))), join(out, "unpacked"));
    expect(npm.sort()).toEqual([
      "LICENSE",
      "README.md",
      ...modules.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`]),
      "package.json",
    ]);
    const wheel = unzip(find(/\.whl$/));
    expect(wheel.filter((name) => name.endsWith(".py"))).toEqual(sourcesIn("python/svc", ".py").map((name) => `svc/${name}`));
    const module = unzip(find(/\.zip$/)).map((name) => name.replace(/^.*@[^/]+\//, ""));
    expect(module.sort()).toEqual(["LICENSE", "README.md", "go.mod", ...sourcesIn("go", ".go")].sort());
  });

  it("have one version", () => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "typescript/package.json"), "utf8")) as { version: string };
    expect(find(/\.whl$/)).toContain(`-${version}-`);
    expect(readFileSync(join(out, find(/@v\/list$/)), "utf8")).toMatch(new RegExp(`^v${version.replaceAll(".", "\\.")}-[0-9a-f]{12}\n$`));
    expect(readFileSync(join(import.meta.dirname, "python/svc/__init__.py"), "utf8")).toContain(`__version__ = "${version}"`);
  });
});
