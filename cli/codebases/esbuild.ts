import { existsSync, realpathSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";
import type { BuildFailure, BuildOptions, Loader, Message, OutputFile, Plugin } from "esbuild";
import { MODULE_REQUIRE } from "../../contract/utilities/module-require.ts";
import type { FileProblem } from "../../core/sync/item.ts";
import { findGitRoot } from "../project/git.ts";
import { isOwnFile } from "../project/links.ts";
import { type BundledFiles, BundleFailure, type BundleSource, MAIN } from "./bundle.ts";
import { clientPlugin } from "./client-plugin.ts";
import { callWithoutOwnVariables } from "./own-variables.ts";

/** The folder of the output, which is never written. Bundles contain no path of the machine because sources are relative to the root. */
const OUT = ".svc/bundle";

/** Bundles a script with esbuild. Throws `BundleFailure` with the location of each error. */
export async function runEsbuild(source: BundleSource): Promise<BundledFiles> {
  const { build } = await import("esbuild");
  const { root, file, format, codebase } = source;
  try {
    // The first call starts the process of esbuild, which takes no environment.
    const { outputFiles = [], metafile } = await callWithoutOwnVariables(() => build(toBuildOptions(source)));
    const nameOf = ({ path }: OutputFile) => relative(join(root, OUT), path).split(sep).join("/");
    const files = new Map(outputFiles.map((output) => [nameOf(output), output.contents]));
    const map = outputFiles.find((output) => nameOf(output) === `${MAIN}.map`)?.text ?? "{}";
    files.delete(`${MAIN}.map`);
    if (format === "esm") files.set(MAIN, addRequire(files.get(MAIN) ?? new Uint8Array(), codebase.banner?.["js"]));
    return { files, format, sourceMap: toRootMap(map), inputs: Object.keys(metafile?.inputs ?? {}) };
  } catch (error) {
    if (!isBuildFailure(error)) throw error;
    throw new BundleFailure(error.errors.map((message) => toProblem(message, file)));
  }
}

function toBuildOptions({ root, file, codebase, format }: BundleSource): BuildOptions {
  const { external = [], inject = [], define, banner, loader } = codebase;
  return {
    absWorkingDir: root,
    entryPoints: [{ in: `./${file}`, out: "main" }],
    outdir: join(root, OUT),
    write: false,
    bundle: true,
    format,
    platform: "node",
    target: "es2024",
    // An external map, which only `svc dev` uses, so that the bytes of the bundle do not depend on it.
    sourcemap: "external",
    sourcesContent: false,
    metafile: true,
    keepNames: true,
    charset: "utf8",
    legalComments: "none",
    logLevel: "silent",
    jsx: "automatic",
    external: ["bun", "bun:*", ...external],
    inject: inject.map((path) => `./${path}`),
    ...(define ? { define } : {}),
    ...(banner ? { banner } : {}),
    ...(loader ? { loader: loader as Record<string, Loader> } : {}),
    plugins: [clientPlugin, ownFilesPlugin(root)],
  };
}

function addRequire(main: Uint8Array, banner = ""): Uint8Array {
  const text = Buffer.from(main).toString();
  return /\brequire\b/.test(text) && !/\bcreateRequire\b/.test(banner) ? Buffer.from(MODULE_REQUIRE + text) : main;
}

/** Returns a source map whose sources are relative to the root of the project and not to the folder of the output. */
function toRootMap(text: string): string {
  const map = JSON.parse(text) as { sources?: string[] };
  return JSON.stringify({ ...map, sources: (map.sources ?? []).map((source) => posix.join(OUT, source)) });
}

/**
 * Refuses each file that a bundle must not contain before esbuild reads it: the bundle is uploaded, and an import of a repository could name any
 * file of the person, even with a suffix such as `?x`, which the list of inputs contains as a part of the name. Only files of packages, and files
 * of the same repository that are not hidden, may be imported.
 */
const ownFilesPlugin = (root: string): Plugin => ({
  name: "own-files",
  setup(build) {
    const tops = [root, findGitRoot(root)].flatMap((top) => (top === undefined ? [] : [realpathSync(top)]));
    build.onLoad({ filter: /(?:)/, namespace: "file" }, ({ path }) => {
      // A package may be in an archive, whose files are not on the disk.
      const realPath = existsSync(path) ? realpathSync(path) : path;
      if (realPath.split(sep).includes("node_modules") || tops.some((top) => isOwnFile(top, realPath))) return undefined;
      return { errors: [{ text: describeForeign(relative(root, realPath)), detail: FOREIGN }] };
    });
  },
});

/** Marks the refusal of a file, whose position in the importing file is irrelevant. */
const FOREIGN = Symbol("foreign");

const describeForeign = (input: string): string =>
  `${input} is hidden or lies outside of the repository, so no bundle may contain it. Move it into the folder of svc.yaml.`;

const isBuildFailure = (error: unknown): error is BuildFailure =>
  error instanceof Error && Array.isArray((error as Partial<BuildFailure>).errors);

function toProblem({ location, text, notes, detail }: Message, file: string): FileProblem {
  if (detail === FOREIGN) return { file, message: text };
  const hint = /^Could not resolve "(?![./])/.test(text) ? " Install the package here, or list it in `external`." : "";
  const message = `${text.replace(/\.?$/, ".")}${hint || (notes[0]?.text ? ` ${notes[0].text}` : "")}`;
  if (!location) return { file, message };
  return { file: location.file, line: location.line, column: location.column + 1, message };
}
