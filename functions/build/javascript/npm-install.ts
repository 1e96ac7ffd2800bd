import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { BuildRequest } from "../../../core/builds/build.ts";
import { BuildFailure, type BuildSandbox, pickVariables } from "../build-sandbox.ts";
import { findBun } from "../tools.ts";
import { checkLockAddresses, readNpmLock, writeNpmLock } from "./npm-lock.ts";

/**
 * Installs `dependencies` into `<dir>/node_modules` and returns the lock. Scripts of packages never run: bun gets `--ignore-scripts`, which
 * also disables its list of trusted packages. For the choice of bun and the shared cache see docs/decisions/0020. Throws `BuildFailure`.
 */
export async function installNpmPackages(
  dir: string,
  dependencies: Record<string, string>,
  { lock, registries, target }: Pick<BuildRequest, "lock" | "registries" | "target">,
  sandbox: BuildSandbox,
): Promise<string> {
  const parsedLock = lock ? readNpmLock(lock) : undefined;
  if (parsedLock) checkLockCovers(parsedLock.dependencies, dependencies);
  const packageJson = JSON.stringify({ dependencies: parsedLock?.dependencies ?? dependencies }, null, 2);
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, "package.json"), packageJson);
  if (parsedLock) await writeFile(join(dir, "bun.lock"), parsedLock.bunLock);
  const settings = await readOwnerSettings();
  if (parsedLock) checkLockAddresses(parsedLock, [DEFAULT_REGISTRY, registries.npm, ...listOwnerRegistries(settings)]);
  await writeFile(join(sandbox.home, ".npmrc"), settings);
  const args = ["install", "--ignore-scripts", "--no-progress", "--no-summary", "--linker=hoisted", "--no-env-file"];
  args.push(`--os=${target.os}`, `--cpu=${target.arch}`, parsedLock ? "--frozen-lockfile" : "--save-text-lockfile");
  if (registries.npm) args.push(`--registry=${registries.npm}`);
  // A lock with other addresses could store the content of another package in the shared cache, so it gets a separate cache.
  const cache = parsedLock?.addresses.length
    ? join(sandbox.dir, "npm-cache")
    : join(sandbox.cache, "npm", shortHash(settings + registries.npm));
  const bunVariables = {
    ...pickVariables(["NPM_CONFIG_REGISTRY", "npm_config_registry", "NPM_CONFIG_TOKEN"]),
    BUN_INSTALL_CACHE_DIR: cache,
    BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0",
    DO_NOT_TRACK: "1",
  };
  const { code, output } = await sandbox.run({ command: findBun(), args, cwd: dir, env: bunVariables });
  if (code !== 0) throw new BuildFailure(`The packages could not be installed: ${extractReason(output)}`);
  return lock || writeNpmLock(packageJson, await readFile(join(dir, "bun.lock"), "utf8"));
}

const DEFAULT_REGISTRY = "https://registry.npmjs.org";

/** The registries that the machine's owner has set, in variables or in npm's own file. */
function listOwnerRegistries(settings: string): string[] {
  const inFile = [...settings.matchAll(/registry\s*=\s*["']?(\S+?)["']?\s*$/gm)].map(([, url = ""]) => url);
  return [...Object.values(pickVariables(["NPM_CONFIG_REGISTRY", "npm_config_registry"])), ...inFile];
}

function checkLockCovers(locked: Record<string, string>, required: Record<string, string>): void {
  for (const [name, version] of Object.entries(required)) {
    const has = locked[name];
    if (has === undefined || (version !== "latest" && version !== has)) {
      throw new BuildFailure(
        `The lock does not contain ${name}${version === "latest" ? "" : `@${version}`}, which the script imports. Save the script without a lock to resolve its packages again.`,
      );
    }
  }
}

/** bun starts error lines with `error:`. */
function extractReason(output: string): string {
  const lines = output.split("\n").map((line) => line.trim());
  const errors = lines.filter((line) => line.startsWith("error:")).map((line) => line.slice("error:".length).trim());
  return errors.join("; ") || lines.filter(Boolean).at(-1) || "the installer printed no error message";
}

/**
 * Reads the registries, tokens and certificates that the machine's owner has set for npm. Other settings are ignored, because they must not
 * change the result of a build.
 */
async function readOwnerSettings(): Promise<string> {
  const path = process.env["NPM_CONFIG_USERCONFIG"] || join(homedir(), ".npmrc");
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "EACCES") return "";
    throw error;
  });
  const kept = text.split(/\r?\n/).filter((line) => /^\s*((@[\w.-]+:)?registry|ca|cafile|strict-ssl|\/\/[^=]+:_\w+)\s*=/.test(line));
  return kept.map((line) => `${line.replace(/\$\{(\w+)\}/g, (whole, name) => process.env[name] ?? whole)}\n`).join("");
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
