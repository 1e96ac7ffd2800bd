import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { env } from "../../contract/env.ts";

/** Below the function's own directory, on AWS: see `lib/`. */
const here = import.meta.dirname;

/** The installer for npm packages. */
export function bunPath(): string {
  const npmName = `@oven/bun-${process.platform}-${process.arch === "arm64" ? "aarch64" : process.arch}`;
  return firstThatExists("bun", [
    process.env[env.bunPath],
    join(here, "bin/bun"),
    ...fromNodeModules(`${npmName}/bin/bun`),
    ...onPath("bun"),
  ]);
}

export function uvPath(): string {
  return firstThatExists("uv", [process.env[env.uvPath], join(here, "bin/uv"), ...upwards(".svc/venv/bin/uv"), ...onPath("uv")]);
}

/** Sources of a client library that artefacts may hold: in the function's asset, else in the checkout. */
export function clientFolder(language: "typescript" | "python" | "go"): string {
  const found = upwards(join("clients", language)).find((path) => existsSync(path));
  if (!found) throw new Error(`The client library for ${language} is missing.`);
  return found;
}

/** Undefined where there is no toolchain yet: `go-toolchain.ts` gets one. */
export function installedGoPath(): string | undefined {
  return [process.env[env.goPath], ...onPath("go")].find((path) => path && existsSync(path));
}

/** Folder of the `esbuild` package. Not imported by name, so that our own bundler leaves it out. */
export function esbuildFolder(): string {
  const asset = [process.env[env.esbuildPath], join(here, "node_modules/esbuild")].find((path) => path && existsSync(path));
  return asset ?? dirname(createRequire(import.meta.url).resolve("esbuild/package.json"));
}

function fromNodeModules(path: string): string[] {
  return upwards(join("node_modules", path));
}

function upwards(path: string): string[] {
  const found: string[] = [];
  for (let dir = here; dirname(dir) !== dir; dir = dirname(dir)) found.push(join(dir, path));
  return found;
}

function onPath(name: string): string[] {
  return (process.env["PATH"] ?? "").split(delimiter).map((dir) => join(dir, name));
}

function firstThatExists(name: string, candidates: (string | undefined)[]): string {
  const found = candidates.find((path) => path && existsSync(path));
  if (!found) throw new Error(`${name} is missing: set SVC_${name.toUpperCase()}_PATH to its path.`);
  return found;
}
