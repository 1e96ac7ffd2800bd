import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { BuildRequest } from "../../../core/builds/build.ts";
import { BuildFailure, type BuildRoom, passOn } from "../build-room.ts";
import { bunPath } from "../tools.ts";
import { readNpmLock, writeNpmLock } from "./npm-lock.ts";

/**
 * Puts `dependencies` into `<dir>/node_modules` and returns the lock. Scripts of packages never run: bun gets `--ignore-scripts`, and its own
 * list of trusted packages does not count then. Why bun, and why its cache may be shared: docs/decisions/0020.
 */
export async function installNpmPackages(
  dir: string,
  dependencies: Record<string, string>,
  { lock, registries, target }: Pick<BuildRequest, "lock" | "registries" | "target">,
  room: BuildRoom,
): Promise<string> {
  const given = lock ? readNpmLock(lock) : undefined;
  if (given) checkCovers(given.dependencies, dependencies);
  const packageJson = JSON.stringify({ dependencies: given?.dependencies ?? dependencies }, null, 2);
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, "package.json"), packageJson);
  if (given) await writeFile(join(dir, "bun.lock"), given.bunLock);
  const settings = await ownersSettings();
  await writeFile(join(room.home, ".npmrc"), settings);
  const args = ["install", "--ignore-scripts", "--no-progress", "--no-summary", "--linker=hoisted", "--no-env-file"];
  args.push(`--os=${target.os}`, `--cpu=${target.arch}`, given ? "--frozen-lockfile" : "--save-text-lockfile");
  if (registries.npm) args.push(`--registry=${registries.npm}`);
  // A lock that names addresses could put another package's bytes under a name that others take from the cache.
  const cache = given?.namesAddresses ? join(room.dir, "npm-cache") : join(room.cache, "npm", keyOf(settings + registries.npm));
  const own = {
    ...passOn(["NPM_CONFIG_REGISTRY", "npm_config_registry", "NPM_CONFIG_TOKEN"]),
    BUN_INSTALL_CACHE_DIR: cache,
    BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0",
    DO_NOT_TRACK: "1",
  };
  const { code, output } = await room.run({ command: bunPath(), args, cwd: dir, env: own });
  if (code !== 0) throw new BuildFailure(`The packages could not be installed: ${reasonIn(output)}`);
  return lock || writeNpmLock(packageJson, await readFile(join(dir, "bun.lock"), "utf8"));
}

function checkCovers(locked: Record<string, string>, wanted: Record<string, string>): void {
  for (const [name, version] of Object.entries(wanted)) {
    const has = locked[name];
    if (has === undefined || (version !== "latest" && version !== has)) {
      throw new BuildFailure(
        `The lock does not contain ${name}${version === "latest" ? "" : `@${version}`}, which the script imports. Save the script without a lock to resolve its packages again.`,
      );
    }
  }
}

/** bun begins the lines that matter with `error:`. */
function reasonIn(output: string): string {
  const lines = output.split("\n").map((line) => line.trim());
  const errors = lines.filter((line) => line.startsWith("error:")).map((line) => line.slice("error:".length).trim());
  return errors.join("; ") || lines.filter(Boolean).at(-1) || "the installer gave no reason";
}

/**
 * Registries, tokens and certificates that the machine's owner has set for npm. Only those lines: the rest are habits of a developer that
 * must not change what a build gives.
 */
async function ownersSettings(): Promise<string> {
  const path = process.env["NPM_CONFIG_USERCONFIG"] || join(homedir(), ".npmrc");
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "EACCES") return "";
    throw error;
  });
  const kept = text.split(/\r?\n/).filter((line) => /^\s*((@[\w.-]+:)?registry|ca|cafile|strict-ssl|\/\/[^=]+:_\w+)\s*=/.test(line));
  return kept.map((line) => `${line.replace(/\$\{(\w+)\}/g, (whole, name) => process.env[name] ?? whole)}\n`).join("");
}

function keyOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
