import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { buildSync, type Metafile } from "esbuild";
import { referenceFiles } from "../api/reference.ts";
import { webFiles } from "../api/web.ts";

/** A folder ready to become a function's asset. */
export interface Bundle {
  readonly kind: "functions" | "runners";
  readonly name: string;
  readonly directory: string;
  /** `python`: the folder holds handler.py and no index.mjs. */
  readonly runtime: "node" | "python";
}

/** Throws a sentence naming the folder when there is no such bundle. */
export function bundleOf(bundles: readonly Bundle[], kind: Bundle["kind"], name: string): Bundle {
  const found = bundles.find((bundle) => bundle.kind === kind && bundle.name === name);
  if (!found) throw new Error(`${kind}/${name} has no handler.ts, but the stack needs it.`);
  return found;
}

/** Some dependencies are CommonJS inside and ask for Node's modules by `require`, which an ES module does not have. */
const REQUIRE_FOR_COMMONJS = 'import{createRequire as svcCreateRequire}from"node:module";const require=svcCreateRequire(import.meta.url);';

/**
 * Bundles every `functions/<name>/handler.ts` and `runners/<language>/handler.ts` to `<out>/<kind>/<name>/index.mjs`; what a handler imports
 * only when it needs it (`await import`) stands beside it in chunks. So does what a runner needs as files of its own (wrappers, Python), and what
 * `build` puts into artefacts (`clients/`), and what `api` serves as the page `/docs`, and `web` as the console's pages.
 * Source maps go to `<out>/maps`, the metafiles to `<out>/meta`: neither belongs into an asset.
 */
export function bundleAll(root: string, out: string): Bundle[] {
  const bundles = (["functions", "runners"] as const).flatMap((kind) => discover(root, out, kind));
  const files = new Map<string, Uint8Array>();
  for (const { kind, name } of bundles.filter(({ runtime }) => runtime === "node")) {
    const { outputFiles, metafile } = bundleHandler(root, join(out, kind, name), `${kind}/${name}/handler.ts`);
    files.set(join("meta", kind, `${name}.json`), Buffer.from(JSON.stringify(metafile)));
    for (const file of outputFiles) {
      const path = relative(out, file.path);
      files.set(path.endsWith(".map") ? join("maps", path) : path, file.contents);
    }
  }
  const side = bundles.flatMap((bundle) => sideFiles(root, bundle));
  for (const path of side.filter((file) => file.endsWith(".py"))) files.set(path, readFileSync(join(root, path)));
  if (bundles.some(({ kind, name }) => kind === "functions" && name === "build")) {
    for (const path of clientFiles(root)) files.set(join("functions/build", path), readFileSync(join(root, path)));
  }
  if (existsSync(join(root, "functions/api/reference"))) {
    for (const [name, content] of referenceFiles(root)) files.set(join("functions/api/reference", name), content);
  }
  if (existsSync(join(root, "functions/web/handler.ts"))) {
    for (const [name, content] of webFiles(root)) files.set(join("functions/web/site", name), content);
  }
  const wrappers = side.filter((path) => path.endsWith(".mjs"));
  for (const { path, contents } of bundleWrappers(root, out, wrappers)) files.set(relative(out, path), contents);
  replaceFiles(out, ["functions", "runners", "maps", "meta"], files);
  return bundles;
}

function bundleHandler(root: string, outdir: string, handler: string) {
  return buildSync({
    absWorkingDir: root,
    entryPoints: { index: handler },
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
    write: false,
    format: "esm",
    platform: "node",
    target: "node24",
    // Without it esbuild takes the CommonJS build of the AWS SDK, which it cannot shake.
    mainFields: ["module", "main"],
    // Whoever bundles another checkout's sources (a test does) takes this one's file.
    alias: { "@aws-sdk/credential-provider-node": join(import.meta.dirname, "lambda-credentials.ts") },
    minify: true,
    sourcemap: "external",
    metafile: true,
    legalComments: "none",
    banner: { js: REQUIRE_FOR_COMMONJS },
    logLevel: "warning",
  });
}

/** How many bytes a function reads before it can answer: its index, and the chunks that this one always imports. */
export function bytesAtStart(out: string, { kind, name }: Bundle): number {
  const { outputs } = JSON.parse(readFileSync(join(out, "meta", kind, `${name}.json`), "utf8")) as Metafile;
  const paths = Object.keys(outputs);
  const read = new Set(paths.filter((path) => path.endsWith("/index.mjs")));
  for (const path of read) {
    for (const imported of outputs[path]?.imports ?? []) {
      if (imported.kind === "import-statement" && !imported.external) read.add(imported.path);
    }
  }
  return [...read].reduce((sum, path) => sum + (outputs[path]?.bytes ?? 0), 0);
}

/**
 * Each wrapper as one file that other interpreters can run too: with what it shares of `runners/shared`, and nothing of Node put before it. Not
 * minified, so that its frames in a stack say what they are.
 */
function bundleWrappers(root: string, out: string, wrappers: string[]): { path: string; contents: Uint8Array }[] {
  return buildSync({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(wrappers.map((path) => [path.replace(/\.mjs$/, ""), path])),
    outdir: out,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "esnext",
    legalComments: "none",
    logLevel: "warning",
  }).outputFiles;
}

/**
 * Writes what differs, each file in one step, and removes what is left over: two synths at the same time (`npm run up` and `npm test`) make the
 * same files and neither ever sees one missing.
 */
function replaceFiles(out: string, folders: string[], files: ReadonlyMap<string, Uint8Array>): void {
  for (const [path, content] of files) {
    const target = join(out, path);
    if (existsSync(target) && readFileSync(target).equals(content)) continue;
    mkdirSync(dirname(target), { recursive: true });
    const partial = join(out, `.${process.pid}-${path.replaceAll("/", "-")}`);
    writeFileSync(partial, content);
    renameSync(partial, target);
  }
  for (const folder of folders) {
    if (!existsSync(join(out, folder))) continue;
    for (const entry of readdirSync(join(out, folder), { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile() && !files.has(relative(out, path)) && !/(^|[/\\])(bin|node_modules)[/\\]/.test(relative(out, path)))
        rmSync(path, { force: true });
    }
  }
}

/** Sources of the client libraries, which `build` puts into artefacts that import them. */
function clientFiles(root: string): string[] {
  const wanted = /^clients\/(typescript\/src\/.+\.ts|python\/svc\/.+\.py|go\/[^/]+\.go|go\/go\.mod)$/;
  const folder = join(root, "clients");
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => wanted.test(path) && !/(\.test\.ts|_test\.go)$/.test(path))
    .sort();
}

function discover(root: string, out: string, kind: Bundle["kind"]): Bundle[] {
  const folder = join(root, kind);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .flatMap((name): Bundle[] => {
      const directory = join(out, kind, name);
      if (existsSync(join(folder, name, "handler.ts"))) return [{ kind, name, directory, runtime: "node" }];
      if (existsSync(join(folder, name, "handler.py"))) return [{ kind, name, directory, runtime: "python" }];
      return [];
    });
}

/** Wrappers that user code meets, and Python's own supervisor: files that are run, not imported. Tests and what they use stay behind. */
function sideFiles(root: string, { kind, name, runtime }: Bundle): string[] {
  const source = join(root, kind, name);
  const wanted = runtime === "python" ? /\.py$/ : /\.mjs$/;
  return readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && wanted.test(entry.name) && !/\.test\.mjs$|^test_.*\.py$|_test\.py$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !path.split("/").some((folder) => ["test", "tests", "fixtures", "__pycache__", "node_modules"].includes(folder)))
    .sort();
}
