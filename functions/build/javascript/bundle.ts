import { readFile, writeFile } from "node:fs/promises";
import { createRequire, isBuiltin } from "node:module";
import { join } from "node:path";
import type { BuildOptions, BuildFailure as EsbuildFailure, Message, Metafile, OnResolveResult, Plugin, PluginBuild } from "esbuild";
import type { BuildRequest } from "../../../core/builds/build.ts";
import { readJavascriptImports } from "../../../core/builds/javascript-imports.ts";
import { isOwnClient } from "../../../core/builds/own-clients.ts";
import { readSpecifier } from "../../../core/builds/package-specifiers.ts";
import { BuildFailure, type BuildRoom } from "../build-room.ts";
import { clientFolder, esbuildFolder } from "../tools.ts";

type Esbuild = typeof import("esbuild");
type JavascriptRequest = Pick<BuildRequest, "language" | "files" | "entry" | "target">;

interface Packages {
  /** Holds `node_modules`. */
  dir: string;
  external: string[];
  installed: ReadonlySet<string>;
}

/** Scripts live here: esbuild never looks for them in the file system. */
const SCRIPTS = "script";
/** And the client library here. */
const CLIENT = "client";
/**
 * Bundled CommonJS packages ask for these; an ES module does not have them. Each of Node's modules costs a fresh bun worker milliseconds, so
 * none is imported for a script that needs none.
 */
const SHIM = "export const __filename = import.meta.filename;\nexport const __dirname = import.meta.dirname;\n";
const REQUIRE = 'import { createRequire as svcCreateRequire } from "node:module"; const require = svcCreateRequire(import.meta.url); ';

let loaded: Esbuild | undefined;

/** esbuild's process lives as long as this one, so it is started with a clean environment: nothing that reads user code sees ours. */
function startEsbuild(room: BuildRoom): Esbuild {
  if (loaded) return loaded;
  const esbuild = createRequire(import.meta.url)(esbuildFolder()) as Esbuild;
  const own = process.env;
  process.env = room.childEnv({ HOME: "/nonexistent", TMPDIR: "/tmp" });
  try {
    // Starts the process before it returns; what it returns has nothing to wait for.
    void esbuild.initialize({});
  } finally {
    process.env = own;
  }
  loaded = esbuild;
  return esbuild;
}

/** Bundles the entry with all it imports into `main.mjs` and `main.mjs.map` in `room.out`. */
export async function bundle(request: JavascriptRequest, packages: Packages, room: BuildRoom): Promise<void> {
  const esbuild = startEsbuild(room);
  await writeFile(join(room.dir, "shim.mjs"), SHIM);
  const stop = () => void esbuild.stop().finally(() => (loaded = undefined));
  room.signal.addEventListener("abort", stop, { once: true });
  try {
    const unresolved: string[] = [];
    for (;;) {
      try {
        const result = await esbuild.build(optionsFor(request, { ...packages, external: [...packages.external, ...unresolved] }, room));
        refuseForeignFiles(result.metafile as Metafile, packages.dir, room);
        break;
      } catch (error) {
        room.checkTime();
        if (!isEsbuildFailure(error)) throw error;
        const optional = optionalImports(error.errors).filter((name) => !unresolved.includes(name));
        if (optional.length === 0) throw asBuildFailure(error.errors);
        unresolved.push(...optional);
      }
    }
  } finally {
    room.signal.removeEventListener("abort", stop);
  }
  await addRequire(join(room.out, "main.mjs"));
  await cleanMap(join(room.out, "main.mjs.map"));
}

/** In front of the first line and not above it: the map's lines stay right, and the line itself is esbuild's. */
async function addRequire(file: string): Promise<void> {
  const text = await readFile(file, "utf8");
  if (/\brequire\b/.test(text)) await writeFile(file, REQUIRE + text);
}

function optionsFor(request: JavascriptRequest, packages: Packages, room: BuildRoom): BuildOptions {
  return {
    absWorkingDir: room.dir,
    entryPoints: [{ in: `${SCRIPTS}:${request.entry}`, out: "main" }],
    outdir: room.out,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "es2024",
    sourcemap: "linked",
    metafile: true,
    // Parameters are matched by name and errors are read by people.
    keepNames: true,
    minify: false,
    charset: "utf8",
    legalComments: "none",
    logLevel: "silent",
    jsx: "automatic",
    // A package's own tsconfig.json says how its authors compile, not how it is used.
    tsconfigRaw: "{}",
    external: ["bun", "bun:*", ...packages.external.flatMap((name) => [name, `${name}/*`])],
    inject: [join(room.dir, "shim.mjs")],
    plugins: [scripts(request, packages), ownClient, ...(request.language === "deno" ? [denoBuiltins] : [])],
  };
}

/** Resolves what scripts import; imports of packages among themselves never pass here, which keeps large packages fast. */
function scripts({ files, language }: JavascriptRequest, { dir: packagesDir, installed }: Packages): Plugin {
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
            if (specifier.name.startsWith("bun") && language !== "bun") {
              return { errors: [{ text: `"${specifier.name}" is available only in scripts of language bun` }] };
            }
            return { path: withNodePrefix(specifier.name), external: true };
          case "package":
            // A lock may name the package of the registry; then it is that one.
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

const ownClient: Plugin = {
  name: "own-client",
  setup(build) {
    build.onResolve({ filter: /^\.\//, namespace: CLIENT }, ({ path }) => ({ path: path.slice(2), namespace: CLIENT, sideEffects: false }));
    build.onLoad({ filter: /.*/, namespace: CLIENT }, async ({ path }) => ({
      contents: await readFile(join(clientFolder("typescript"), "src", path)),
      loader: "ts",
    }));
  },
};

function withNodePrefix(name: string): string {
  return name.startsWith("bun") || name.startsWith("node:") ? name : `node:${name}`;
}

/** Node and bun know `fs`, deno only `node:fs`. */
const denoBuiltins: Plugin = {
  name: "deno-builtins",
  setup(build) {
    build.onResolve({ filter: /^[a-z_]+(\/[a-z]+)?$/ }, ({ path, kind, namespace }) =>
      namespace !== SCRIPTS && kind !== "require-call" && isBuiltin(path) ? { path: withNodePrefix(path), external: true } : undefined,
    );
  },
};

/**
 * Names that packages import and nobody installed. They are guarded or never reached in practice (optional databases, other platforms), so
 * they become an error of the run, should it come so far, instead of one of the build.
 */
function optionalImports(errors: Message[]): string[] {
  return errors.flatMap(({ location, text }) => {
    const name = /^Could not resolve "([^"]+)"/.exec(text)?.[1];
    return name && !/^[./]/.test(name) && location?.file.startsWith("packages/node_modules/") ? [name] : [];
  });
}

/** A package may try to import any file by its path; only packages and scripts may end up in a bundle. */
function refuseForeignFiles(metafile: Metafile, packagesDir: string, room: BuildRoom): void {
  const own = [`${SCRIPTS}:`, `${CLIENT}:`, "(disabled):", "shim.mjs", `${packagesDir.slice(room.dir.length + 1)}/node_modules/`];
  const foreign = Object.keys(metafile.inputs).find((path) => !own.some((prefix) => path.startsWith(prefix)) && !path.startsWith("<"));
  if (foreign !== undefined) throw new BuildFailure(`A package imports the file ${foreign}, which is not part of any package.`);
}

function isEsbuildFailure(error: unknown): error is EsbuildFailure {
  return error instanceof Error && Array.isArray((error as Partial<EsbuildFailure>).errors);
}

function asBuildFailure(errors: Message[]): BuildFailure {
  return new BuildFailure(errors.slice(0, 20).map(describe).join("\n"));
}

function describe({ location, text, notes }: Message): string {
  if (!location) return text;
  const file = location.file.startsWith(`${SCRIPTS}:`) ? scriptFile(location.file) : location.file.replace(/^packages\//, "");
  const hint = notes.find((note) => note.text && !note.location)?.text;
  const line = location.lineText ? `\n  ${location.lineText.trim()}` : "";
  return `${file}:${location.line}:${location.column + 1}: ${text}${line}${hint && !text.startsWith("Could not") ? `\n  ${hint}` : ""}`;
}

function scriptFile(source: string): string {
  return `${source.slice(SCRIPTS.length + 1)}.ts`;
}

/** Sources get the names people know; the text of packages is left out, nobody reads it and it doubles the artefact. */
async function cleanMap(path: string): Promise<void> {
  const map = JSON.parse(await readFile(path, "utf8")) as { sources: string[]; sourcesContent?: (string | null)[] };
  map.sourcesContent = map.sources.map((source, at) => (source.startsWith(`${SCRIPTS}:`) ? (map.sourcesContent?.[at] ?? null) : null));
  map.sources = map.sources.map((source) =>
    source.startsWith(`${SCRIPTS}:`)
      ? scriptFile(source)
      : source
          .replace(`${CLIENT}:`, "node_modules/svc-client/")
          .replace(/^.*?node_modules\//, "node_modules/")
          .replace(/^(\.\.\/)+/, ""),
  );
  await writeFile(path, JSON.stringify(map));
}
