import { readFile, writeFile } from "node:fs/promises";
import { createRequire, isBuiltin } from "node:module";
import { join } from "node:path";
import type { BuildOptions, BuildFailure as EsbuildFailure, Message, Metafile, OnResolveResult, Plugin, PluginBuild } from "esbuild";
import { type BuiltinModules, getManifest, type RunnerLanguage, runnerLanguages } from "../../../contract/languages.ts";
import { MODULE_REQUIRE } from "../../../contract/utilities/module-require.ts";
import type { BuildRequest } from "../../../core/builds/build.ts";
import { readJavascriptImports } from "../../../core/builds/javascript-imports.ts";
import { isOwnClient } from "../../../core/builds/packages/own-clients.ts";
import { readSpecifier } from "../../../core/builds/packages/package-specifiers.ts";
import { BuildFailure, type BuildSandbox } from "../build-sandbox.ts";
import { findClientFolder, findEsbuildFolder } from "../tools.ts";

type Esbuild = typeof import("esbuild");
type JavascriptRequest = Pick<BuildRequest, "language" | "files" | "entry" | "target">;

interface Packages {
  /** Holds `node_modules`. */
  dir: string;
  external: string[];
  installed: ReadonlySet<string>;
}

/** The namespace of scripts: esbuild never searches the file system for them. */
const SCRIPTS = "script";
/** The namespace of the client library. */
const CLIENT = "client";
/**
 * Bundled CommonJS packages need these names, which ES modules lack. They are added only to scripts that use them, because each import of a
 * Node module delays the start of a bun worker by milliseconds.
 */
const SHIM = "export const __filename = import.meta.filename;\nexport const __dirname = import.meta.dirname;\n";

let loaded: Esbuild | undefined;

/**
 * Starts esbuild with a clean environment. Its process lives as long as this one, and a process that reads user code must not see the
 * service's credentials.
 */
function startEsbuild(sandbox: BuildSandbox): Esbuild {
  if (loaded) return loaded;
  const esbuild = createRequire(import.meta.url)(findEsbuildFolder()) as Esbuild;
  const serviceEnvironment = process.env;
  process.env = sandbox.childEnv({ HOME: "/nonexistent", TMPDIR: "/tmp" });
  try {
    // The process starts before the call returns, so the promise need not be awaited.
    void esbuild.initialize({});
  } finally {
    process.env = serviceEnvironment;
  }
  loaded = esbuild;
  return esbuild;
}

/** Bundles the entry with everything it imports into `main.mjs` and `main.mjs.map` in `sandbox.out`. Throws `BuildFailure`. */
export async function bundleScript(request: JavascriptRequest, packages: Packages, sandbox: BuildSandbox): Promise<void> {
  const esbuild = startEsbuild(sandbox);
  await writeFile(join(sandbox.dir, "shim.mjs"), SHIM);
  const stop = () => void esbuild.stop().finally(() => (loaded = undefined));
  sandbox.signal.addEventListener("abort", stop, { once: true });
  try {
    const unresolved: string[] = [];
    for (;;) {
      try {
        const result = await esbuild.build(
          toBuildOptions(request, { ...packages, external: [...packages.external, ...unresolved] }, sandbox),
        );
        checkBundledFiles(result.metafile as Metafile, packages.dir, sandbox);
        break;
      } catch (error) {
        sandbox.checkTime();
        if (!isEsbuildFailure(error)) throw error;
        const optional = findOptionalImports(error.errors).filter((name) => !unresolved.includes(name));
        if (optional.length === 0) throw toBuildFailure(error.errors);
        unresolved.push(...optional);
      }
    }
  } finally {
    sandbox.signal.removeEventListener("abort", stop);
  }
  await addRequire(join(sandbox.out, "main.mjs"));
  await cleanSourceMap(join(sandbox.out, "main.mjs.map"));
}

async function addRequire(file: string): Promise<void> {
  const text = await readFile(file, "utf8");
  if (/\brequire\b/.test(text)) await writeFile(file, MODULE_REQUIRE + text);
}

function toBuildOptions(request: JavascriptRequest, packages: Packages, sandbox: BuildSandbox): BuildOptions {
  return {
    absWorkingDir: sandbox.dir,
    entryPoints: [{ in: `${SCRIPTS}:${request.entry}`, out: "main" }],
    outdir: sandbox.out,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "es2024",
    sourcemap: "linked",
    metafile: true,
    // Function names are needed to match parameters and to read errors.
    keepNames: true,
    minify: false,
    charset: "utf8",
    legalComments: "none",
    logLevel: "silent",
    jsx: "automatic",
    // A package's tsconfig.json describes its own compilation, not its use.
    tsconfigRaw: "{}",
    external: ["bun", "bun:*", ...packages.external.flatMap((name) => [name, `${name}/*`])],
    inject: [join(sandbox.dir, "shim.mjs")],
    plugins: [
      createScriptPlugin(request, packages),
      ownClientPlugin,
      ...(findBuiltins(request.language)?.needsNodePrefix ? [nodePrefixPlugin] : []),
    ],
  };
}

function findBuiltins(language: RunnerLanguage): BuiltinModules | undefined {
  const manifest = getManifest(language);
  return manifest.build === "javascript" ? manifest.builtins : undefined;
}

const languagesWithBun = () => runnerLanguages.filter((language) => findBuiltins(language)?.bun).join(" or ");

/** Resolves the imports of scripts. Imports between packages do not pass through it, which makes large packages fast. */
function createScriptPlugin({ files, language }: JavascriptRequest, { dir: packagesDir, installed }: Packages): Plugin {
  const inPackages = async (build: PluginBuild, path: string, kind: "import-statement"): Promise<OnResolveResult> =>
    await build.resolve(path, { kind, resolveDir: packagesDir });
  return {
    name: "scripts",
    setup(build) {
      build.onResolve({ filter: /^script:/ }, ({ path, kind }) =>
        kind === "entry-point" ? { path: path.slice(SCRIPTS.length + 1), namespace: SCRIPTS } : undefined,
      );
      build.onResolve({ filter: /.*/, namespace: SCRIPTS }, async ({ path, importer, kind }) => {
        const specifier = readSpecifier(importer, path);
        switch (specifier.kind) {
          case "script":
            if (files[specifier.path] === undefined) return { errors: [{ text: `there is no script ${specifier.path} to import` }] };
            return { path: specifier.path, namespace: SCRIPTS };
          case "builtin":
            if (specifier.name.startsWith("bun") && !findBuiltins(language)?.bun) {
              return { errors: [{ text: `"${specifier.name}" is available only in scripts of language ${languagesWithBun()}` }] };
            }
            return { path: addNodePrefix(specifier.name), external: true };
          case "package":
            // If the lock contains a package of this name, that package is used.
            if (isOwnClient(specifier) && !installed.has(specifier.name))
              return { path: "index.ts", namespace: CLIENT, sideEffects: false };
            return await inPackages(build, specifier.name + specifier.subpath, kind as "import-statement");
          case "unsupported":
            return { errors: [{ text: specifier.reason }] };
        }
      });
      build.onLoad({ filter: /.*/, namespace: SCRIPTS }, ({ path }) => {
        const contents = files[path] ?? "";
        return { contents, loader: readJavascriptImports(contents).jsx ? "tsx" : "ts", resolveDir: packagesDir };
      });
    },
  };
}

const ownClientPlugin: Plugin = {
  name: "own-client",
  setup(build) {
    build.onResolve({ filter: /^\.\//, namespace: CLIENT }, ({ path }) => ({ path: path.slice(2), namespace: CLIENT, sideEffects: false }));
    build.onLoad({ filter: /.*/, namespace: CLIENT }, async ({ path }) => ({
      contents: await readFile(join(findClientFolder("typescript"), "src", path)),
      loader: "ts",
    }));
  },
};

function addNodePrefix(name: string): string {
  return name.startsWith("bun") || name.startsWith("node:") ? name : `node:${name}`;
}

/** Adds the prefix to Node's modules, for interpreters that accept `node:fs` and not `fs`. */
const nodePrefixPlugin: Plugin = {
  name: "node-prefix",
  setup(build) {
    build.onResolve({ filter: /^[a-z_]+(\/[a-z]+)?$/ }, ({ path, kind, namespace }) =>
      namespace !== SCRIPTS && kind !== "require-call" && isBuiltin(path) ? { path: addNodePrefix(path), external: true } : undefined,
    );
  },
};

/**
 * Returns the names that packages import although they are not installed. Such imports are guarded or unreachable in practice (optional
 * databases, other platforms), so they cause an error at run time, if at all, and not in the build.
 */
function findOptionalImports(errors: Message[]): string[] {
  return errors.flatMap(({ location, text }) => {
    const name = /^Could not resolve "([^"]+)"/.exec(text)?.[1];
    return name && !/^[./]/.test(name) && location?.file.startsWith("packages/node_modules/") ? [name] : [];
  });
}

/** A package may import any file by its path, but only packages and scripts may be part of a bundle. Throws `BuildFailure`. */
function checkBundledFiles(metafile: Metafile, packagesDir: string, sandbox: BuildSandbox): void {
  const allowedPrefixes = [
    `${SCRIPTS}:`,
    `${CLIENT}:`,
    "(disabled):",
    "shim.mjs",
    `${packagesDir.slice(sandbox.dir.length + 1)}/node_modules/`,
  ];
  const foreign = Object.keys(metafile.inputs).find(
    (path) => !allowedPrefixes.some((prefix) => path.startsWith(prefix)) && !path.startsWith("<"),
  );
  if (foreign !== undefined) throw new BuildFailure(`A package imports the file ${foreign}, which is not part of any package.`);
}

function isEsbuildFailure(error: unknown): error is EsbuildFailure {
  return error instanceof Error && Array.isArray((error as Partial<EsbuildFailure>).errors);
}

function toBuildFailure(errors: Message[]): BuildFailure {
  return new BuildFailure(errors.slice(0, 20).map(describeMessage).join("\n"));
}

function describeMessage({ location, text, notes }: Message): string {
  if (!location) return text;
  const file = location.file.startsWith(`${SCRIPTS}:`) ? toScriptFile(location.file) : location.file.replace(/^packages\//, "");
  const hint = notes.find((note) => note.text && !note.location)?.text;
  // A package may import any file of this machine by its path, and a parser quotes text that it cannot parse.
  const isOwn = /^(script|client):|^(packages\/)?node_modules\//.test(location.file) && !location.file.includes("..");
  const line = location.lineText && isOwn ? `\n  ${location.lineText.trim()}` : "";
  return `${file}:${location.line}:${location.column + 1}: ${text}${line}${hint && !text.startsWith("Could not") ? `\n  ${hint}` : ""}`;
}

function toScriptFile(source: string): string {
  return `${source.slice(SCRIPTS.length + 1)}.ts`;
}

/** Shortens the names of sources and omits the text of packages, which would double the size of the artefact. */
async function cleanSourceMap(path: string): Promise<void> {
  const map = JSON.parse(await readFile(path, "utf8")) as { sources: string[]; sourcesContent?: (string | null)[] };
  map.sourcesContent = map.sources.map((source, at) => (source.startsWith(`${SCRIPTS}:`) ? (map.sourcesContent?.[at] ?? null) : null));
  map.sources = map.sources.map((source) =>
    source.startsWith(`${SCRIPTS}:`)
      ? toScriptFile(source)
      : source
          .replace(`${CLIENT}:`, "node_modules/svc-client/")
          .replace(/^.*?node_modules\//, "node_modules/")
          .replace(/^(\.\.\/)+/, ""),
  );
  await writeFile(path, JSON.stringify(map));
}
