import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { shareGoCache } from "../../test/support/engine/go-cache.ts";
import { pythonPath } from "../../test/support/programs.ts";
import { type Built, ENTRY, lockOf, useBuilder } from "./build-fixture.ts";

// For a cold compiler on a shared machine; no test waits for a fixed time.
vi.setConfig({ testTimeout: 240_000 });

const builder = useBuilder();
beforeAll(() => shareGoCache(builder.workDir()));

/** Loads a bundle like a runner and calls its main. */
async function callMain({ dir, result }: Built, ...args: unknown[]): Promise<unknown> {
  if (!result.ok) throw new Error(result.error);
  const module = (await import(pathToFileURL(join(dir, "main.mjs")).href)) as { main: (...args: unknown[]) => unknown };
  return await module.main(...args);
}

afterEach(() => {
  expect(readdirSync(join(builder.workDir(), "builds"), { recursive: true }), "what builds left behind").toEqual([]);
});

describe("build of TypeScript", () => {
  it("bundles npm packages, also with a version in the import and in a scope", async () => {
    const source = `
      import { chunk } from "lodash@4.17.21";
      import pad from "lodash/padStart";
      import { toUtf8 } from "npm:@smithy/util-utf8@^4";
      import { readFileSync } from "fs";
      export async function main(text: string, size = 2): Promise<unknown> {
        return [chunk([...text], size), pad("7", 3, "0"), toUtf8(new Uint8Array([104, 105])), typeof readFileSync, main.toString().split(")")[0]];
      }`;
    for (const language of ["nodejs", "bun", "deno"] as const) {
      const built = await builder.build(language, source);
      expect(await callMain(built, "abc")).toEqual([[["a", "b"], ["c"]], "007", "hi", "function", "async function main(text, size = 2"]);
      expect(Object.keys(built.files).sort()).toEqual(["main.mjs", "main.mjs.map"]);
    }
  });

  it("uploads the declarations of the packages that a script imports", async () => {
    builder.publish(
      { name: "typed", version: "1.0.0", types: "index.d.ts", main: "index.js" },
      {
        "index.js": "exports.one = 1;",
        "index.d.ts": "export declare const one: 1;",
      },
    );
    const registries = { npm: builder.origin(), pypi: "", go: "" };
    const typed = await builder.build("bun", 'import { one } from "typed@1"; export const main = () => one;', { registries });
    expect(typed.result).toMatchObject({ ok: true, declares: true });
    expect(typed.declarations).toMatchObject({ "node_modules/typed/index.d.ts": "export declare const one: 1;" });
    const untyped = await builder.build("bun", "export const main = () => 1;");
    expect([untyped.result.ok && untyped.result.declares, untyped.declarations]).toEqual([undefined, undefined]);
  });

  it("returns an equal artefact for an equal lock, and installs the locked versions", async () => {
    const source = 'import { nanoid } from "nanoid@^3";\nexport const main = () => nanoid().length;';
    const first = await builder.build("bun", source);
    const lock = lockOf(first.result);
    expect(lock).toMatch(/"nanoid@3\.\d+\.\d+"/);
    const second = await builder.build("bun", source, { lock });
    expect(second.result).toMatchObject({ ok: true, lock, sha256: first.result.ok && first.result.sha256 });
    const older = lock.replace(
      /nanoid@3\.\d+\.\d+("[^\n]*)sha512-[^"]+/,
      "nanoid@3.3.6$1sha512-BGcqMMJuToF7i1rt+2PWSNVnWIkGCU78jBG3RxO/bZlnZPK2Cmi2QaffxGO/2RvWi9sL+FAiRiXMgsyxQ1DIDA==",
    );
    const held = await builder.build("bun", source, { lock: older });
    expect(held.result).toMatchObject({ ok: true, lock: older });
    const other = await builder.build("bun", 'import "lodash"; export const main = 1;', { lock });
    expect(other.result).toMatchObject({ ok: false, error: expect.stringContaining("does not contain lodash") });
  });

  it.each([
    ["a folder", '"x@file:../../etc"'],
    ["a git repository", '"x@git+https://host.example/x.git#1"'],
    ["the name of a folder above", '"../../x@1.0.0"'],
  ])("refuses a lock that names %s", async (_, id) => {
    const lock = `{"dependencies": {"x": "1.0.0"}}\n//bun.lock\n{"lockfileVersion": 1, "workspaces": {"": {"dependencies": {"x": "1.0.0"}}}, "packages": {"x": [${id}, "", {}, "sha512-aaaa"],}}`;
    const { result } = await builder.build("bun", 'import "x@1.0.0"; export const main = 1;', { lock });
    expect(result).toMatchObject({ ok: false, error: expect.stringContaining("is not a package from the registry") });
  });

  it.each([
    "http://169.254.169.254/x.tgz",
    "http://127.0.0.1:9001/2018-06-01/runtime/invocation/next",
    "http://[::1]/x.tgz",
    "file:///etc/x",
    "x",
  ])("calls no address that a lock names outside of the registries, such as %s", async (address) => {
    const packages = `{"x": ["x@1.0.0", ${JSON.stringify(address)}, {}, "sha512-aaaa"]}`;
    const lock = `{"dependencies": {"x": "1.0.0"}}\n//bun.lock\n{"lockfileVersion": 1, "workspaces": {"": {"dependencies": {"x": "1.0.0"}}}, "packages": ${packages}}`;
    const { result } = await builder.build("bun", 'import "x@1.0.0"; export const main = 1;', { lock });
    expect(result).toMatchObject({ ok: false, error: expect.stringContaining(`${address} is not an address of a configured registry`) });
  });

  it("installs from the configured registry and runs no install script", async () => {
    const marker = join(builder.workDir(), "ran");
    const scripts = Object.fromEntries(["preinstall", "install", "postinstall", "prepare"].map((name) => [name, `touch ${marker}`]));
    builder.publish(
      { name: "svc-sly", version: "1.0.0", main: "index.js", scripts, hasInstallScript: true },
      { "index.js": "exports.answer = 42;" },
    );
    const registries = { npm: builder.origin(), pypi: "", go: "" };
    const source = 'import { answer } from "svc-sly";\nexport const main = () => answer;';
    const first = await builder.build("nodejs", source, { registries });
    expect(await callMain(first)).toBe(42);
    const second = await builder.build("nodejs", source, { registries, lock: lockOf(first.result) });
    expect(await callMain(second)).toBe(42);
    expect(existsSync(marker)).toBe(false);
  });

  it("rejects packages that import files of the machine", async () => {
    writeFileSync(join(builder.workDir(), "secret.json"), '{"secret": 1}');
    const path = join(builder.workDir(), "secret.json");
    builder.publish(
      { name: "svc-nosy", version: "1.0.0", main: "index.js" },
      { "index.js": `module.exports = require(${JSON.stringify(path)});` },
    );
    const { result } = await builder.build("nodejs", 'import x from "svc-nosy";\nexport const main = () => x;', {
      registries: { npm: builder.origin(), pypi: "", go: "" },
    });
    expect(result).toMatchObject({ ok: false, error: expect.stringContaining("not part of any package") });
    writeFileSync(path, '{"secret": "of the machine"');
    const quoted = await builder.build("nodejs", 'import x from "svc-nosy";\nexport const main = () => x;', {
      registries: { npm: builder.origin(), pypi: "", go: "" },
    });
    expect(quoted.result).toMatchObject({ ok: false, error: expect.not.stringContaining("of the machine") });
    const own = await builder.build("nodejs", `import x from ${JSON.stringify(path)};\nexport const main = () => x;`);
    expect(own.result).toMatchObject({ ok: false, error: expect.stringContaining("there is no script") });
  });

  it("bundles scripts that import one another, and maps lines to them", async () => {
    const built = await builder.build("nodejs", {
      [ENTRY]:
        'import { a } from "./lib/a.ts";\nimport b from "/f/x/b";\nimport { c } from "f/x/c";\nimport { fail } from "u/bob/e.ts";\nexport const main = (x: boolean) => (x ? fail() : [a, b, c]);',
      "f/ops/lib/a": 'export { c as a } from "../../x/c";',
      "f/x/b": "export default 'b' as const",
      "f/x/c": "export const c: string = <string>'c'",
      "u/bob/e": "export function fail(): never {\n  throw new Error('late');\n}",
    });
    expect(await callMain(built, false)).toEqual(["c", "b", "c"]);
    const map = JSON.parse(built.files["main.mjs.map"] ?? "{}") as { sources: string[] };
    expect(map.sources).toEqual(expect.arrayContaining(["f/ops/hello.ts", "f/x/b.ts", "u/bob/e.ts"]));
  });

  it("keeps native addons and WebAssembly next to the bundle, and all packages with //nobundling", async () => {
    const native = await builder.build("nodejs", 'import { crc32 } from "@node-rs/crc32";\nexport const main = () => crc32("hi");');
    expect(await callMain(native)).toBe(3633523372);
    expect(Object.keys(native.files).some((path) => path.endsWith(".node"))).toBe(true);
    const plain = await builder.build(
      "nodejs",
      '//nobundling\nimport { nanoid } from "nanoid@3";\nexport const main = () => nanoid(5).length;',
    );
    expect(await callMain(plain)).toBe(5);
    expect(Object.keys(plain.files)).toContain("node_modules/nanoid/package.json");
  });

  it.each([
    ["a mistake", "const a = 1;\nexport function main( { return }", "f/ops/hello.ts:2:"],
    [
      "a script that is not there",
      '\nimport { x } from "./nowhere.ts";\nexport const main = () => x;',
      "f/ops/hello.ts:2:19: there is no script f/ops/nowhere",
    ],
    ["a file that a package does not have", 'import x from "lodash/nope";\nexport const main = () => x;', "f/ops/hello.ts:1:15: "],
    ["bun's own modules", 'import { x } from "bun:sqlite";\nexport const main = () => x;', "language bun"],
    [
      "an address",
      '\nimport x from "https://host.example/x.ts";\nexport const main = x;',
      "f/ops/hello.ts:2: imports by URL are not supported",
    ],
    ["an unknown package", 'import x from "svc-there-is-no-such-package";\nexport const main = x;', "svc-there-is-no-such-package"],
  ])("reports the position of %s", async (_, source, error) => {
    const { result } = await builder.build("nodejs", source);
    expect(result).toMatchObject({ ok: false, error: expect.stringContaining(error), log: expect.stringContaining(error) });
  });

  it("rejects an artefact that is too large", async () => {
    const { result } = await builder.build("bun", 'import _ from "lodash@4.17.21";\nexport const main = () => _;', {
      maxArtefactBytes: 1024 * 10,
    });
    expect(result).toMatchObject({ ok: false, error: expect.stringContaining("limit") });
  });

  it("refuses paths that would leave the build's directory", async () => {
    const { result } = await builder.build("python3", { [ENTRY]: "", "../../x": "" });
    expect(result).toMatchObject({ ok: false, error: '"../../x" is not a valid script path.' });
  });
});

describe("the client library", () => {
  /** An address without a server, so that every download fails. */
  const nowhere = { npm: "http://127.0.0.1:9", pypi: "http://127.0.0.1:9", go: "http://127.0.0.1:9" };

  it.each(["svc-client", "npm:svc-client"])("is bundled into TypeScript as %s, without a registry and a lock", async (name) => {
    const source = `import * as client from "${name}";\nexport const main = () => [client.getVariable.name, typeof client.waitJob];`;
    for (const language of ["bun", "deno", "nodejs"] as const) {
      const built = await builder.build(language, source, { registries: nowhere });
      expect(lockOf(built.result)).toBe("");
      expect(await callMain(built)).toEqual(["getVariable", "function"]);
      const { sources } = JSON.parse(built.files["main.mjs.map"] ?? "{}") as { sources: string[] };
      expect(sources).toContain("node_modules/svc-client/stored.ts");
    }
  });

  it("adds only the used parts to a TypeScript bundle", async () => {
    const source = 'import { appendToResultStream } from "svc-client";\nexport const main = appendToResultStream;';
    const { files } = await builder.build("bun", source, { registries: nowhere });
    expect(files["main.mjs"]).toContain("WM_STREAM");
    expect(files["main.mjs"]).not.toContain("fetch(");
  });

  it("works together with npm packages, and is not in their lock", async () => {
    const source =
      'import { chunk } from "lodash@4.17.21";\nimport { waitJob } from "svc-client";\nexport const main = () => [chunk, waitJob].map((f) => typeof f);';
    const first = await builder.build("nodejs", source);
    expect(lockOf(first.result)).not.toMatch(/svc-client/);
    const second = await builder.build("nodejs", source, { lock: lockOf(first.result) });
    expect(await callMain(second)).toEqual(["function", "function"]);
  });

  it("is replaced by the registry's package if an import names a version", async () => {
    builder.publish({ name: "svc-client", version: "9.9.9", main: "index.js" }, { "index.js": "exports.who = 'the registry';" });
    const registries = { npm: builder.origin(), pypi: "", go: "" };
    const built = await builder.build("nodejs", 'import { who } from "svc-client@9.9.9";\nexport const main = () => who;', { registries });
    expect(await callMain(built)).toBe("the registry");
    expect(lockOf(built.result)).toContain("svc-client@9.9.9");
  });

  it("is available to Python without a registry and a lock", async () => {
    const name = "svc";
    const source = `def main():\n    from ${name} import get_variable\n    return get_variable.__name__\n`;
    const { result, files, dir } = await builder.build("python3", source, { registries: nowhere });
    expect(lockOf(result)).toBe("");
    expect(
      Object.keys(files)
        .filter((path) => !path.startsWith(`deps/${name}/_`))
        .sort(),
    ).toEqual(["scripts/f/ops/hello.py", "svc.json"]);
    const program = `import sys; sys.path[:0] = ["scripts", "deps"]; from f.ops.hello import main; print(main())`;
    const printed = execFileSync(pythonPath(), ["-c", program], { cwd: dir, encoding: "utf8" });
    expect(printed.trim()).toBe("get_variable");
  });

  it("is not added to Python scripts that do not import it", async () => {
    const { files } = await builder.build("python3", "import json\ndef main(): pass\n", { registries: nowhere });
    expect(Object.keys(files).sort()).toEqual(["scripts/f/ops/hello.py", "svc.json"]);
  });

  it("is available to Go without a registry, and the lock of other modules does not contain it", async () => {
    const alone = 'package inner\n\nimport svc "svc-client"\n\nfunc main() bool {\n\treturn svc.IsNotFound(nil)\n}\n';
    const first = await builder.build("go", alone, { registries: nowhere });
    expect(lockOf(first.result)).toBe("");
    expect(first.files["main"]).not.toContain(builder.workDir());
    const more = alone
      .replace("import svc", 'import "github.com/google/uuid"\n\nimport svc')
      .replace("svc.IsNotFound(nil)", "svc.IsNotFound(nil) || uuid.Nil == uuid.New()");
    const second = await builder.build("go", more);
    const lock = lockOf(second.result);
    expect(lock).toContain("github.com/google/uuid");
    expect(lock).not.toContain("svc-client");
    const third = await builder.build("go", more, { lock });
    expect(third.result).toMatchObject({ ok: true, lock, sha256: second.result.ok && second.result.sha256 });
  });
});

describe("build of Python", () => {
  it("maps imports to packages and locks them by hash", async () => {
    const source = "import yaml\nfrom f.ops.shared import shout\n\ndef main(x: str): return yaml.safe_load(x)\n";
    const built = await builder.build("python3", { [ENTRY]: source, "f/ops/shared": "def shout(x): return x.upper()\n" });
    const lock = lockOf(built.result);
    expect(lock).toMatch(/^pyyaml==\S+ \\\n\s+--hash=sha256:/);
    expect(JSON.parse(built.files["svc.json"] ?? "")).toEqual({ entry: "scripts/f/ops/hello.py" });
    expect(built.files["scripts/f/ops/hello.py"]).toBe(source);
    expect(built.files["scripts/f/ops/shared.py"]).toContain("shout");
    expect(Object.keys(built.files)).toContain("deps/yaml/__init__.py");
    const again = await builder.build("python3", { [ENTRY]: source, "f/ops/shared": "def shout(x): return x.upper()\n" }, { lock });
    expect(again.result).toMatchObject({ ok: true, lock, sha256: built.result.ok && built.result.sha256 });
  });

  it("installs packages for the target, which may differ from this machine", async () => {
    const target = { os: "linux", arch: "arm64", python: "3.13", node: "24" } as const;
    const { files } = await builder.build("python3", "# requirements:\n# markupsafe==3.0.2\nimport markupsafe\n", { target });
    expect(Object.keys(files)).toContain("deps/markupsafe/_speedups.cpython-313-aarch64-linux-gnu.so");
  });

  it.each([
    ["an unknown package", "import svc_no_such_package_at_all\n", undefined, "svc-no-such-package-at-all"],
    [
      "an option among requirements",
      "# requirements:\n# -r /etc/passwd\n",
      undefined,
      'f/ops/hello: "-r /etc/passwd" is not a valid requirement',
    ],
    ["an option in a lock", "import yaml\n", "--index-url http://host.example\npyyaml==6.0.2\n", "is not a package with its exact version"],
    ["a package that a lock leaves out", "import yaml\n", "requests==2.32.3\n", "does not contain pyyaml"],
  ])("refuses %s", async (_, source, lock, error) => {
    const { result } = await builder.build("python3", source, lock ? { lock } : {});
    expect(result).toMatchObject({ ok: false, error: expect.stringContaining(error) });
  });

  it("accepts a lock without hashes", async () => {
    const { result, files } = await builder.build("python3", "import yaml\n", { lock: "PyYAML==6.0.2\n" });
    expect(result).toMatchObject({ ok: true, lock: "PyYAML==6.0.2\n" });
    expect(files["deps/yaml/__init__.py"]).toContain("__version__ = '6.0.2'");
  });

  it("needs no network without packages", async () => {
    const { result } = await builder.build("python3", "import json\ndef main(): pass\n", {
      registries: { npm: "", pypi: "http://127.0.0.1:9", go: "" },
    });
    expect(result).toMatchObject({ ok: true, lock: "" });
  });
});

describe("build of bash", () => {
  it("leaves the script unchanged", async () => {
    const source = '#!/bin/bash\necho "$1 ünïcode"\r\n';
    const { result, dir } = await builder.build("bash", source);
    expect(result).toMatchObject({ ok: true, lock: "" });
    expect(execFileSync("cat", [join(dir, "main.sh")], { encoding: "utf8" })).toBe(source);
  });

  it("throws if the upload fails, because that is not the author's fault", async () => {
    await expect(builder.build("bash", "true", { uploadUrl: "http://127.0.0.1:9/x" })).rejects.toThrow();
  });
});
