import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { stop } from "esbuild";
import { unpackTar } from "modern-tar";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Codebase } from "../../core/sync/config/config.ts";
import type { SyncItem } from "../../core/sync/item.ts";
import type { Bundle } from "./bundle.ts";
import { bundleScript } from "./bundle-script.ts";

let root: string;
beforeAll(() => {
  root = newProject();
});
const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

const files: Record<string, string> = {
  "f/a/x.ts": 'import { lib } from "../../lib/lib";\nexport const main = () => lib();\n',
  "lib/lib.ts": "export const lib = () => 'lib';\n",
  "f/a/package.ts": 'import { name } from "pkg";\nexport const main = () => name;\n',
  "node_modules/pkg/package.json": '{"name":"pkg","version":"1.0.0","main":"index.js"}',
  "node_modules/pkg/index.js": "exports.name = 'pkg';\n",
  "f/a/missing.ts": 'import { x } from "not-installed";\nexport const main = () => x;\n',
  "f/a/stage.ts": "declare const STAGE: string;\nexport const main = () => STAGE;\n",
  "f/a/injected.ts": "export const main = () => injected();\n",
  "lib/inject.ts": "export const injected = () => 'injected';\n",
  "f/a/sql.ts": 'import sql from "../../lib/q.sql";\nexport const main = () => sql;\n',
  "lib/q.sql": "SELECT 1",
  "lib/logo.png": "not a picture",
  "f/a/logo.ts": 'import logo from "../../lib/logo.png";\nexport const main = () => logo;\n',
  "assets/b.txt": "b",
  "assets/deep/a.txt": "a",
  "bundler.mjs": 'process.stdout.write("// " + process.argv[2]);\n',
  "slow.mjs": "console.error('cannot');\nprocess.exit(4);\n",
  "empty.mjs": "",
};

function newProject(): string {
  const folder = mkdtempSync(join(tmpdir(), "svc-codebase-"));
  made.push(folder);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

const bundle = (name: string, codebase: Omit<Codebase, "relative_path"> = {}, { language = "bun", from = root } = {}) => {
  const item: SyncItem = { kind: "script", path: `f/a/${name}`, language: language as "bun", content: "", value: {} };
  return bundleScript(from, item, `f/a/${name}.ts`, { relative_path: ".", ...codebase });
};
it.skipIf(process.platform !== "linux")("the esbuild process inherits no variable of svc", async () => {
  await stop();
  const marker = `MARKER_${process.pid}`;
  vi.stubEnv(marker, "1");
  vi.stubEnv("SVC_TOKEN", "planted");
  await bundle("x");
  expect(process.env["SVC_TOKEN"]).toBe("planted");
  const environments = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .flatMap((pid) => readEnvironment(pid))
    .filter((environment) => environment.includes(`${marker}=1`));
  expect(environments).toHaveLength(1);
  expect(environments[0]).not.toMatch(/^SVC_/im);
  vi.unstubAllEnvs();
});

/** The environment of a process, one variable a line. Empty for a process that has ended or belongs to another user. */
function readEnvironment(pid: string): string[] {
  try {
    return [readFileSync(`/proc/${pid}/environ`, "utf8").replaceAll("\0", "\n")];
  } catch {
    return [];
  }
}

const textOf = ({ bytes }: Bundle) => Buffer.from(bytes).toString();
/** Executes a bundle and returns the result of `main`. */
const call = async (bundled: Bundle) =>
  ((await import(`data:text/javascript,${encodeURIComponent(textOf(bundled))}`)) as { main: () => unknown }).main();
const entriesOf = async ({ bytes }: Bundle) =>
  Object.fromEntries((await unpackTar(bytes)).map(({ header, data }) => [header.name, Buffer.from(data ?? []).toString()]));
const problemOf = async (bundled: Promise<Bundle>) => {
  const error = await bundled.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return (error as { problems?: unknown[] } | undefined)?.problems?.[0];
};

describe("a bundle", () => {
  it("contains what the script imports, and its bytes do not depend on the location of the project", async () => {
    const first = await bundle("x");
    const second = await bundle("x", {}, { from: newProject() });
    expect([await call(first), first.tar]).toEqual(["lib", false]);
    expect([second.digest, textOf(second)]).toEqual([first.digest, textOf(first)]);
    expect(first.inputs).toEqual(["lib/lib.ts", "f/a/x.ts"]);
    expect(JSON.parse(first.sourceMap ?? "")).toMatchObject({ sources: ["lib/lib.ts", "f/a/x.ts"] });
  });

  it("has the format of the codebase or, by default, of its language, and its digest names the format", async () => {
    expect(textOf(await bundle("x", { format: "cjs" }))).toContain("module.exports");
    const digests = [
      bundle("x"),
      bundle("x", { format: "cjs" }),
      bundle("x", {}, { language: "nodejs" }),
      bundle("x", { format: "esm" }, { language: "nodejs" }),
    ];
    const endings = (await Promise.all(digests)).map(({ digest, format }) => `${digest.replace(/^[0-9a-f]{64}/, "")} ${format}`);
    expect(endings).toEqual([".esm esm", " cjs", " cjs", ".esm esm"]);
  });

  it("contains packages, unless they are external", async () => {
    expect(await call(await bundle("package"))).toBe("pkg");
    expect(textOf(await bundle("package", { external: ["pkg"] }))).toContain('from "pkg"');
    expect(await problemOf(bundle("missing"))).toEqual({
      file: "f/a/missing.ts",
      line: 1,
      column: 19,
      message: 'Could not resolve "not-installed". Install the package here, or list it in `external`.',
    });
    expect(textOf(await bundle("missing", { external: ["not-installed"] }))).toContain("not-installed");
  });

  it("contains constants, injected files, a banner and files with their loaders", async () => {
    expect(await call(await bundle("stage", { define: { STAGE: '"test"' } }))).toBe("test");
    await expect(bundle("stage").then(call)).rejects.toThrow("STAGE");
    expect(await call(await bundle("injected", { inject: ["lib/inject.ts"] }))).toBe("injected");
    await expect(bundle("injected").then(call)).rejects.toThrow("injected");
    expect(textOf(await bundle("x", { banner: { js: "// first line" } }))).toMatch(/^\/\/ first line\n/);
    expect(await call(await bundle("sql", { loader: { ".sql": "text" } }))).toBe("SELECT 1");
    expect(await problemOf(bundle("sql"))).toMatchObject({ message: expect.stringContaining('No loader is configured for ".sql" files') });
  });

  it("is an archive with assets, or with files of a loader, in an order that does not depend on the file system", async () => {
    const assets = [
      { from: "assets", to: "texts" },
      { from: "lib/q.sql", to: "a.sql" },
    ];
    const bundled = await bundle("x", { assets });
    expect(Object.keys(await entriesOf(bundled))).toEqual(["a.sql", "main.js", "texts/b.txt", "texts/deep/a.txt"]);
    expect(await entriesOf(bundled)).toMatchObject({ "a.sql": "SELECT 1", "texts/deep/a.txt": "a" });
    expect(bundled.digest).toMatch(/\.esm\.tar$/);
    expect((await bundle("x", { assets }, { from: newProject() })).digest).toBe(bundled.digest);
    const logo = await bundle("logo", { loader: { ".png": "file" } });
    expect(Object.values(await entriesOf(logo))).toContain("not a picture");
  });

  it("may not contain two files with the same path, or files of other folders", async () => {
    const twice = [
      { from: "assets/b.txt", to: "same" },
      { from: "lib/q.sql", to: "./same" },
    ];
    expect(await problemOf(bundle("x", { assets: twice }))).toMatchObject({
      message: expect.stringContaining("Two assets have the place same"),
    });
    const project = newProject();
    symlinkSync("/etc", join(project, "assets/etc"));
    const assets = [{ from: "assets", to: "texts" }];
    expect(await problemOf(bundle("x", { assets }, { from: project }))).toMatchObject({
      message: expect.stringContaining("leads out of the folder"),
    });
    rmSync(join(project, "assets/etc"));
    symlinkSync("../assets", join(project, "assets/loop"));
    expect(await problemOf(bundle("x", { assets }, { from: project }))).toMatchObject({
      message: expect.stringContaining("a folder that contains it"),
    });
  });

  it("contains no hidden file as an asset, not even through a link or in a folder, except those of packages", async () => {
    const project = newProject();
    for (const name of [".env", ".svc/state.json", "assets/.git/config", "node_modules/pkg/.hidden"]) {
      mkdirSync(dirname(join(project, name)), { recursive: true });
      writeFileSync(join(project, name), "{}");
    }
    symlinkSync("../.svc/state.json", join(project, "lib/link.json"));
    for (const from of [".env", ".svc", "assets/.git/config", "lib/link.json", "lib"]) {
      const assets = [{ from, to: "place" }];
      expect(await problemOf(bundle("x", { assets }, { from: project })), from).toMatchObject({
        message: expect.stringContaining("is a hidden file"),
      });
    }
    rmSync(join(project, "lib/link.json"));
    const assets = [{ from: ".", to: "all" }];
    const names = Object.keys(await entriesOf(await bundle("x", { assets }, { from: project })));
    expect(names.filter((name) => name.includes("/."))).toEqual(["all/node_modules/pkg/.hidden"]);
  });

  it("contains no hidden file and no file from outside of the repository, whatever the script imports", async () => {
    const outer = newProject();
    const project = join(outer, "project");
    const write = (name: string, text: string) => {
      mkdirSync(dirname(join(outer, name)), { recursive: true });
      writeFileSync(join(outer, name), text);
    };
    for (const name of ["home/token.json", "project/.env", "project/.svc/state.json", "node_modules/hoisted/index.js"]) write(name, "{}");
    symlinkSync("../home/token.json", join(project, "link.json"));
    write("project/f/a/own.ts", 'import text from "../../own.json"; export const main = () => text;');
    write("project/own.json", "{}");
    write("project/f/a/hoisted.ts", 'import text from "hoisted"; export const main = () => text;');
    const ways = (name: string) => [
      `import text from "${name}";`,
      `import text from "${name}?x";`,
      `const text = require("${name}#x?y");`,
      `import text from "${join(project, "f/a", name)}?x";`,
      `import text from "${name}?x" with { type: "text" };`,
    ];
    const hidden = ["../home/token.json", ".env", ".svc/state.json", "link.json"];
    for (const [name, text] of hidden.flatMap((one) => ways(`../../${one}`).map((way) => [one, way] as const))) {
      write("project/f/a/x.ts", `${text}\nexport const main = () => text;\n`);
      expect(await problemOf(bundle("x", { loader: { ".env": "text", ".json": "copy" } }, { from: project }))).toEqual({
        file: "f/a/x.ts",
        message: `${name.replace("link.json", "../home/token.json")} is hidden or lies outside of the repository, so no bundle may contain it. Move it into the folder of svc.yaml.`,
      });
    }
    for (const name of ["own", "hoisted"]) expect((await bundle(name, {}, { from: project })).bytes.length).toBeGreaterThan(0);
    // A repository may have the folder of svc.yaml below its root.
    execFileSync("git", ["init", "-q"], { cwd: outer });
    write("project/f/a/x.ts", 'import text from "../../../home/token.json"; export const main = () => text;');
    expect(textOf(await bundle("x", {}, { from: project }))).toContain("token");
  });

  it("is the output of the codebase's own bundler, whose failure shows its errors", async () => {
    const own = await bundle("x", { customBundler: "bundler.mjs" });
    expect([textOf(own), own.format, own.inputs]).toEqual(["// f/a/x.ts", undefined, undefined]);
    expect((await bundle("x", { customBundler: "bundler.mjs", format: "esm" })).digest).toMatch(/\.esm$/);
    expect(await problemOf(bundle("x", { customBundler: "slow.mjs" }))).toEqual({
      file: "f/a/x.ts",
      message: "The bundler slow.mjs exited with code 4.\n  cannot",
    });
    expect(await problemOf(bundle("x", { customBundler: "empty.mjs" }))).toMatchObject({
      message: expect.stringContaining("wrote no bundle"),
    });
  });
});
