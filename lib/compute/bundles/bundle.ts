import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { build, buildSync, type Metafile } from "esbuild";
import { MODULE_REQUIRE } from "../../../contract/utilities/module-require.ts";
import { cliFiles, PROGRAM } from "../../api/cli-package.ts";
import { guideFiles } from "../../api/guides.ts";
import { referenceFiles } from "../../api/reference.ts";
import { webFiles } from "../../api/web.ts";
import { smallAwsClients } from "../rights/aws-clients.ts";

/** A folder that can become a function's asset. */
export interface Bundle {
  readonly kind: "functions" | "runners";
  readonly name: string;
  readonly directory: string;
  /** `python`: the folder contains handler.py and no index.mjs. */
  readonly runtime: "node" | "python";
}

/** The file in a folder of bundles that names their sources (bundle-once.ts). */
export const RECORD = "bundled.json";
/** The folders of a build. Interpreters and their packages are put into them later. */
export const BUILT_FOLDERS: readonly string[] = ["functions", "runners", "maps", "meta"];
export const isInterpreter = (path: string): boolean => /(^|[/\\])(bin|node_modules)([/\\]|$)/.test(path);

/**
 * Bundles every `functions/<name>/handler.ts` and `runners/<language>/handler.ts` to `<out>/<kind>/<name>/index.mjs`. Dynamic imports become
 * chunks beside it. The folder also gets the files of a runner (wrappers, Python), the client libraries for `build`, the page `/docs` and the command line for `api`, the command line for `deploy`,
 * and the console's pages for `web`. Source maps go to `<out>/maps` and metafiles to `<out>/meta`, because assets need neither.
 */
export async function bundleAll(root: string, out: string): Promise<Bundle[]> {
  // esbuild spends a quarter of its processor time in Go's garbage collector at the default of 100.
  process.env["GOGC"] ??= "400";
  // The record of `bundleOnce` describes the earlier bundles of this folder.
  rmSync(join(out, RECORD), { force: true });
  const bundles = (["functions", "runners"] as const).flatMap((kind) => discover(root, out, kind));
  const files = new Map<string, Uint8Array>();
  for (const { kind, name } of bundles.filter(({ runtime }) => runtime === "node")) {
    // One after the other: all at once would need more memory than a small machine has.
    const { outputFiles, metafile } = await bundleHandler(root, join(out, kind, name), `${kind}/${name}/handler.ts`);
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
  if (existsSync(join(root, "cli/build.ts"))) {
    const program = new Set<string>(PROGRAM);
    for (const [name, content] of cliFiles(root))
      files.set(program.has(name) ? join("functions/deploy/cli", basename(name)) : join("functions/web/cli", name), content);
  }
  if (existsSync(join(root, "functions/web/handler.ts"))) {
    for (const [name, content] of [...webFiles(root), ...guideFiles(root)]) files.set(join("functions/web/site", name), content);
  }
  const wrappers = side.filter((path) => path.endsWith(".mjs"));
  for (const { path, contents } of bundleWrappers(root, out, wrappers)) files.set(relative(out, path), contents);
  replaceFiles(out, files);
  return bundles;
}

function bundleHandler(root: string, outdir: string, handler: string) {
  return build({
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
    // Otherwise esbuild uses the CommonJS build of the AWS SDK, from which it cannot remove unused code.
    mainFields: ["module", "main"],
    // An absolute path, because a test bundles the sources of another folder.
    alias: {
      "@aws-sdk/credential-provider-node": join(import.meta.dirname, "lambda-credentials.ts"),
      "node:http": join(import.meta.dirname, "node-http.ts"),
    },
    plugins: [smallAwsClients],
    minify: true,
    sourcemap: "external",
    metafile: true,
    legalComments: "none",
    banner: { js: MODULE_REQUIRE },
    logLevel: "warning",
  });
}

/** Returns the number of bytes that a function loads before it can answer: its index and the chunks that the index imports statically. */
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
 * Bundles each wrapper with its imports from `runners/shared` into one file that other interpreters can run, without the banner for Node. It is
 * not minified, so that its frames in a stack are recognisable.
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
 * Writes changed files, each in one step, and removes stale ones. Two concurrent synths (`npm run up` and `npm test`) produce the same files, and
 * neither may find one missing.
 */
function replaceFiles(out: string, files: ReadonlyMap<string, Uint8Array>): void {
  for (const [path, content] of files) {
    const target = join(out, path);
    if (existsSync(target) && readFileSync(target).equals(content)) continue;
    mkdirSync(dirname(target), { recursive: true });
    const partial = join(out, `.${process.pid}-${path.replaceAll("/", "-")}`);
    writeFileSync(partial, content);
    renameSync(partial, target);
  }
  for (const folder of BUILT_FOLDERS) {
    if (!existsSync(join(out, folder))) continue;
    for (const entry of readdirSync(join(out, folder), { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile() && !files.has(relative(out, path)) && !isInterpreter(relative(out, path))) rmSync(path, { force: true });
    }
  }
}

/** Reads the sources of the client libraries, which `build` puts into artefacts that import them. */
function clientFiles(root: string): string[] {
  const pattern = /^clients\/(typescript\/src\/.+\.ts|python\/svc\/.+\.py|go\/[^/]+\.go|go\/go\.mod)$/;
  const folder = join(root, "clients");
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => pattern.test(path) && !/(\.test\.ts|_test\.go)$/.test(path))
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

/** Reads the files that are executed and not imported: wrappers and the Python supervisor, without tests and their helpers. */
function sideFiles(root: string, { kind, name, runtime }: Bundle): string[] {
  const source = join(root, kind, name);
  const pattern = runtime === "python" ? /\.py$/ : /\.mjs$/;
  return readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name) && !/\.test\.mjs$|^test_.*\.py$|_test\.py$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !path.split("/").some((folder) => ["test", "tests", "fixtures", "__pycache__", "node_modules"].includes(folder)))
    .sort();
}
