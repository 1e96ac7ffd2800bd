import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Metafile } from "esbuild";
import { describe, expect, it } from "vitest";
import { buildCli } from "../../../cli/build.ts";
import { runnerLanguages } from "../../../contract/languages.ts";
import { bundleFingerprint, deployedSources } from "../../../engine/engine/fingerprint.ts";
import { withLock } from "../../../engine/launch/lock.mjs";
import { svcDir } from "../../../engine/paths.ts";
import { parseConfig } from "../../config.ts";
import { bundleAll, bytesAtStart } from "./bundle.ts";
import { bundleOf } from "./bundle-of.ts";
import { bundleOnce } from "./bundle-once.ts";
import { putInterpreters } from "./interpreters.ts";

const checkout = join(import.meta.dirname, "../../..");
const scratch = () => mkdtempSync(join(tmpdir(), "svc-bundle-"));

function aCheckout(files: Record<string, string>): string {
  const root = scratch();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

describe("bundleAll", () => {
  it("finds functions and runners by their handlers", async () => {
    const root = aCheckout({
      "functions/run/handler.ts": "export const handler = () => 1;",
      "functions/shared/edge/edge.ts": "export const no = 1;",
      "runners/bun/handler.ts": "export const handler = () => 2;",
      "runners/python3/handler.py": "def handler(event, context): pass",
      "runners/shared/beats.ts": "",
    });
    const bundles = await bundleAll(root, join(root, "dist"));
    expect(bundles.map(({ kind, name, runtime }) => `${kind}/${name} ${runtime}`)).toEqual([
      "functions/run node",
      "runners/bun node",
      "runners/python3 python",
    ]);
  });

  it("puts bundle and wrappers into an asset, without source maps and tests", async () => {
    const root = aCheckout({
      "runners/bun/handler.ts": "export const handler = () => 2;",
      "runners/bun/host.mjs": 'import { shared } from "../shared/realm.mjs"; console.log(shared);',
      "runners/bun/host.test.mjs": "",
      "runners/bun/fixtures/a.mjs": "",
      "runners/python3/handler.py": "",
      "runners/python3/svc_host/main.py": "",
      "runners/python3/test/driver.py": "",
      "runners/shared/realm.mjs": "export const shared = 'by several';",
    });
    await bundleAll(root, join(root, "dist"));
    expect(readFileSync(join(root, "dist/runners/bun/host.mjs"), "utf8")).toContain("by several");
    expect(filesIn(join(root, "dist"))).toEqual([
      "maps/runners/bun/index.mjs.map",
      "meta/runners/bun.json",
      "runners/bun/host.mjs",
      "runners/bun/index.mjs",
      "runners/python3/handler.py",
      "runners/python3/svc_host/main.py",
    ]);
  });

  it("writes dynamically imported code to chunks next to the handler, and counts it separately", async () => {
    const root = aCheckout({
      "functions/run/handler.ts": `export const handler = async () => (await import("./large.ts")).large;`,
      "functions/run/large.ts": `export const large = "${"x".repeat(5000)}";`,
    });
    const bundles = await bundleAll(root, join(root, "dist"));
    expect(filesIn(join(root, "dist/functions/run"))).toEqual([expect.stringMatching(/^chunks\/large-\w+\.mjs$/), "index.mjs"]);
    expect(bytesAtStart(join(root, "dist"), bundleOf(bundles, "functions", "run"))).toBeLessThan(1000);
  });

  it("removes stale files and does not rewrite unchanged ones", async () => {
    const root = aCheckout({ "functions/run/handler.ts": "export const handler = () => 1;", "functions/run/old.mjs": "" });
    const before = await bundleAll(root, join(root, "dist"));
    const index = join(root, "dist/functions/run/index.mjs");
    const written = statSync(index).mtimeMs;
    writeFileSync(join(root, "dist/functions/run/left-over.mjs"), "");
    expect(await bundleAll(root, join(root, "dist"))).toEqual(before);
    expect(statSync(index).mtimeMs).toBe(written);
    expect(existsSync(join(root, "dist/functions/run/left-over.mjs"))).toBe(false);
  });

  it("contains the thread of the interpreter, which starts from its own chunk and is replaced after a native loop", {
    timeout: 60_000,
  }, async () => {
    const evaluate = join(checkout, "services/flows/runtime/expressions/evaluate-expression.ts");
    const root = aCheckout({
      "functions/step/handler.ts": `import { evaluateExpression } from ${JSON.stringify(evaluate)}; export const handler = evaluateExpression;`,
    });
    const bundles = await bundleAll(root, join(root, "dist"));
    expect(bytesAtStart(join(root, "dist"), bundleOf(bundles, "functions", "step"))).toBeLessThan(10_000);
    const { handler } = await import(join(root, "dist/functions/step/index.mjs"));
    expect(await handler("x + 1", { x: 1 })).toEqual({ ok: true, value: 2 });
    expect(await handler("Array.prototype.indexOf.call({ length: 1e15 }, 1)", {})).toMatchObject({ ok: false });
    expect(await handler("x + 1", { x: 2 })).toEqual({ ok: true, value: 3 });
  });

  it("provides require to CommonJS code inside a bundle", async () => {
    const root = aCheckout({
      "functions/run/old.cjs": 'const os = require(["node", "os"].join(":")); module.exports = { platform: os.platform };',
      "functions/run/handler.ts": 'import old from "./old.cjs"; export const handler = () => old.platform();',
    });
    await bundleAll(root, join(root, "dist"));
    const { handler } = await import(join(root, "dist/functions/run/index.mjs"));
    expect(handler()).toBe(process.platform);
  });
});

describe("an import of node:http in a bundle", () => {
  it("does not load the HTTP client and the WebSocket that are among its exports", async () => {
    const root = aCheckout({
      "functions/run/handler.ts": `import { STATUS_CODES } from "node:http";
        export const handler = async () => [STATUS_CODES[404], typeof (await import("node:http")).Agent];`,
    });
    await bundleAll(root, join(root, "dist"));
    const program = `const { handler } = await import(process.argv[1]);
      const loaded = process.moduleLoadList.filter((name) => name.includes("undici"));
      console.log(JSON.stringify([...await handler(), loaded]));`;
    const output = execFileSync(process.execPath, ["--input-type=module", "--eval", program, join(root, "dist/functions/run/index.mjs")]);
    expect(JSON.parse(output.toString())).toEqual(["Not Found", "function", []]);
  });
});

describe("bundleOnce", () => {
  const aRoot = () => aCheckout({ "functions/run/handler.ts": "export const handler = () => 1;", "runners/python3/handler.py": "" });
  const indexIn = (root: string) => readFileSync(join(root, "dist/functions/run/index.mjs"), "utf8");
  const changeHandler = (root: string) => writeFileSync(join(root, "functions/run/handler.ts"), "export const handler = () => 'changed';");

  it("bundles the same sources once", async () => {
    const root = aRoot();
    const before = await bundleOnce(root, ".", "one");
    changeHandler(root);
    expect(await bundleOnce(root, ".", "one")).toEqual(before);
    expect(indexIn(root)).not.toContain("changed");
  });

  it("bundles other sources", async () => {
    const root = aRoot();
    await bundleOnce(root, ".", "one");
    changeHandler(root);
    await bundleOnce(root, ".", "two");
    expect(indexIn(root)).toContain("changed");
  });

  it("bundles again if a bundle is missing", async () => {
    const root = aRoot();
    await bundleOnce(root, ".", "one");
    rmSync(join(root, "dist/functions/run"), { recursive: true });
    await bundleOnce(root, ".", "one");
    expect(indexIn(root)).toContain("handler");
  });

  it("copies the bundles of the same sources from another folder, without its interpreters", async () => {
    const root = aRoot();
    const out = join(root, "dist/checked");
    const before = await bundleOnce(root, ".", "one");
    mkdirSync(join(root, "dist/functions/run/bin"));
    writeFileSync(join(root, "dist/functions/run/bin/bun"), "");
    changeHandler(root);
    const copied = await bundleOnce(root, "checked", "one");
    expect(copied).toEqual(before.map((bundle) => ({ ...bundle, directory: bundle.directory.replace("/dist/", "/dist/checked/") })));
    expect(filesIn(join(out, "functions/run"))).toEqual(["index.mjs"]);
    expect(readFileSync(join(out, "functions/run/index.mjs"), "utf8")).not.toContain("changed");
  });

  it("copies no bundles of other sources from another folder", async () => {
    const root = aRoot();
    await bundleOnce(root, ".", "one");
    changeHandler(root);
    await bundleOnce(root, "checked", "two");
    expect(readFileSync(join(root, "dist/checked/functions/run/index.mjs"), "utf8")).toContain("changed");
  });
});

describe("the client libraries", () => {
  it("are only in the asset of build, as sources, without files for publishing and tests", async () => {
    const root = aCheckout({
      "functions/build/handler.ts": "export const handler = () => 1;",
      "functions/run/handler.ts": "export const handler = () => 2;",
      "clients/typescript/src/index.ts": "export {};",
      "clients/typescript/test/driver.ts": "",
      "clients/typescript/package.json": "{}",
      "clients/python/svc/__init__.py": "",
      "clients/python/svc/__pycache__/__init__.cpython-312.pyc": "",
      "clients/python/test/driver.py": "",
      "clients/go/go.mod": "module x",
      "clients/go/jobs.go": "package svc",
      "clients/go/internal/driver/main.go": "package main",
    });
    await bundleAll(root, join(root, "dist"));
    expect(filesIn(join(root, "dist/functions/run"))).toEqual(["index.mjs"]);
    expect(filesIn(join(root, "dist/functions/build"))).toEqual([
      "clients/go/go.mod",
      "clients/go/jobs.go",
      "clients/python/svc/__init__.py",
      "clients/typescript/src/index.ts",
      "index.mjs",
    ]);
  });
});

/** The folder whose bundles `npm run up` and the end-to-end tests deploy: only the first of them bundles. */
const out = join(checkout, "dist");
mkdirSync(svcDir, { recursive: true });
const bundles = await withLock(join(svcDir, "synth.lock"), async () => bundleOnce(checkout, ".", bundleFingerprint(checkout)));

describe("the checkout's own bundles", () => {
  it("exist for every function and runner", () => {
    expect(bundles.filter(({ kind }) => kind === "functions").map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        "api",
        "beat",
        "build",
        "dead-letter",
        "flows",
        "housekeeping",
        "jobs",
        "objects",
        "people",
        "routes",
        "run",
        "settle",
        "setup",
        "step",
        "stream",
        "triggers",
        "worker",
      ]),
    );
    expect(bundles.filter(({ kind }) => kind === "runners").map(({ name }) => name)).toEqual([...runnerLanguages].sort());
  });

  it.each(bundles.filter(({ kind }) => kind === "functions").map((bundle) => [bundle.name, bundle] as const))(
    "%s loads less than 1 MB when it starts",
    (_, bundle) => {
      expect(bytesAtStart(out, bundle)).toBeGreaterThan(100 * 1024);
      expect(bytesAtStart(out, bundle)).toBeLessThan(1024 * 1024);
    },
  );

  it("contain only the schemas of the AWS operations that they request, and only the versions of the clients", () => {
    const { outputs } = JSON.parse(readFileSync(join(out, "meta/functions/worker.json"), "utf8")) as Metafile;
    const index = Object.entries(outputs).find(([path]) => path.endsWith("/index.mjs"))?.[1].inputs ?? {};
    for (const client of ["client-s3", "client-lambda"]) {
      const [path = ""] = Object.keys(index).filter((file) => file.includes(`/${client}/dist-es/schemas/`));
      expect(index[path]?.bytesInOutput, client).toBeGreaterThan(0);
      // All schemas of one of these services have over 45 KB.
      expect(index[path]?.bytesInOutput, client).toBeLessThan(25_000);
      const [versions] = Object.keys(index).filter((file) => file.endsWith(`/${client}/package.json`));
      expect(index[versions ?? ""]?.bytesInOutput, client).toBeLessThan(100);
    }
  });

  it("api contains the files of /docs, small, with names derived from their content except for the page", () => {
    const folder = join(out, "functions/api/reference");
    const files = filesIn(folder);
    expect(files.map((name) => name.replace(/\.[0-9a-f]{12}\./, ".#."))).toEqual([
      "index.html.gz",
      "start.#.css.gz",
      "start.#.js.gz",
      "swagger-ui-bundle.#.js.gz",
      "swagger-ui-bundle.js.LICENSE.#.txt.gz",
      "swagger-ui.#.css.gz",
    ]);
    // A Lambda answer has at most 6 MB, and base64 adds a third to a file's size.
    for (const name of files) expect(gunzipSync(readFileSync(join(folder, name))).length).toBeLessThan(4 * 1024 * 1024);
    expect(files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)).toBeLessThan(600 * 1024);
  });

  it("are rebuilt when any source that they or the command line contain has changed", () => {
    const metafiles = filesIn(join(out, "meta")).map((name) => readFileSync(join(out, "meta", name), "utf8"));
    const inputs = metafiles.flatMap((text) => Object.keys((JSON.parse(text) as { inputs: object }).inputs));
    const sources = new Set([...inputs, ...buildCli(scratch())].filter((file) => !file.includes("node_modules/") && !file.includes(":")));
    expect(sources).toContain("cli/main.ts");
    expect([...sources].filter((file) => !deployedSources.some((source) => file.startsWith(`${source}/`)))).toEqual([]);
  });

  it("build contains the client libraries", () => {
    const files = filesIn(join(out, "functions/build/clients"));
    expect(files).toEqual(expect.arrayContaining(["go/go.mod", "go/connection.go", "python/svc/__init__.py", "typescript/src/index.ts"]));
  });

  it("objects loads the grammars of scripts when the first script is saved", () => {
    const all = filesIn(join(out, "functions/objects")).reduce((sum, file) => sum + statSync(join(out, "functions/objects", file)).size, 0);
    expect(all - bytesAtStart(out, bundleOf(bundles, "functions", "objects"))).toBeGreaterThan(100 * 1024);
  });

  it.each(bundles.filter(({ runtime }) => runtime === "node").map(({ kind, name, directory }) => [`${kind}/${name}`, directory] as const))(
    "%s contains no path of this machine",
    (_, directory) => {
      expect(readFileSync(join(directory, "index.mjs"), "utf8")).not.toContain(checkout);
    },
  );
});

describe("putInterpreters", () => {
  const aBundle = (name: string) => {
    const directory = scratch();
    return [{ kind: name === "build" ? ("functions" as const) : ("runners" as const), name, directory, runtime: "node" as const }];
  };

  it("writes placeholders without a download if skipInterpreters is set", () => {
    const bundles = aBundle("bun");
    putInterpreters(checkout, parseConfig({}, true), bundles);
    expect(readFileSync(join(bundles[0]?.directory ?? "", "bin/bun"), "utf8")).toContain("svc.skipInterpreters");
  });

  it("puts the package managers and the bundler into the asset of build", () => {
    const bundles = aBundle("build");
    putInterpreters(checkout, parseConfig({}, true), bundles);
    expect(filesIn(bundles[0]?.directory ?? "")).toEqual([
      "bin/bun",
      "bin/uv",
      "node_modules/@esbuild/linux-arm64/bin/esbuild",
      "node_modules/esbuild/lib/main.js",
      "node_modules/esbuild/package.json",
    ]);
  });

  it("copies nothing for the local engine, which uses the machine's interpreters by path", () => {
    const bundles = aBundle("bun");
    putInterpreters(checkout, parseConfig({ local: true, baseUrl: "http://127.0.0.1:8000" }), bundles);
    expect(filesIn(bundles[0]?.directory ?? "")).toEqual([]);
  });

  it("fills assets for a local engine that runs functions in containers, for its processor", () => {
    const bundles = aBundle("build");
    putInterpreters(
      checkout,
      parseConfig({ local: true, baseUrl: "http://127.0.0.1:8000", carryInterpreters: true, arch: "x64" }, true),
      bundles,
    );
    expect(filesIn(bundles[0]?.directory ?? "")).toContain("node_modules/@esbuild/linux-x64/bin/esbuild");
  });
});
