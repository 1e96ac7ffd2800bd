import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { env } from "../../contract/env.ts";

/** On AWS the tools are below the function's own directory (see `lib/`). */
const here = import.meta.dirname;

/** Returns the path of bun, which installs npm packages. Throws if it is missing. */
export function findBun(): string {
  const npmName = `@oven/bun-${process.platform}-${process.arch === "arm64" ? "aarch64" : process.arch}`;
  return requireExisting("bun", [
    process.env[env.bunPath],
    join(here, "bin/bun"),
    ...listInNodeModules(`${npmName}/bin/bun`),
    ...listOnPath("bun"),
  ]);
}

/** Returns the path of uv, which installs Python packages. Throws if it is missing. */
export function findUv(): string {
  return requireExisting("uv", [process.env[env.uvPath], join(here, "bin/uv"), ...listInParents(".svc/venv/bin/uv"), ...listOnPath("uv")]);
}

/** Returns the folder of a client library's sources, in the function's asset or in the checkout. Throws if it is missing. */
export function findClientFolder(language: "typescript" | "python" | "go"): string {
  const found = listInParents(join("clients", language)).find((path) => existsSync(path));
  if (!found) throw new Error(`The client library for ${language} is missing.`);
  return found;
}

/** Returns the path of an installed Go command; `undefined` if there is none, and `go-toolchain.ts` downloads one. */
export function findInstalledGo(): string | undefined {
  return [process.env[env.goPath], ...listOnPath("go")].find((path) => path && existsSync(path));
}

/** Returns the folder of the `esbuild` package. It is not imported by name, so that the service's own bundler omits it. */
export function findEsbuildFolder(): string {
  const asset = [process.env[env.esbuildPath], join(here, "node_modules/esbuild")].find((path) => path && existsSync(path));
  return asset ?? dirname(createRequire(import.meta.url).resolve("esbuild/package.json"));
}

function listInNodeModules(path: string): string[] {
  return listInParents(join("node_modules", path));
}

function listInParents(path: string): string[] {
  const found: string[] = [];
  for (let dir = here; dirname(dir) !== dir; dir = dirname(dir)) found.push(join(dir, path));
  return found;
}

function listOnPath(name: string): string[] {
  return (process.env["PATH"] ?? "").split(delimiter).map((dir) => join(dir, name));
}

function requireExisting(name: string, candidates: (string | undefined)[]): string {
  const found = candidates.find((path) => path && existsSync(path));
  if (!found) throw new Error(`${name} is missing: set SVC_${name.toUpperCase()}_PATH to its path.`);
  return found;
}
