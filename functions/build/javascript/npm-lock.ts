import { isJsonObject } from "../../../contract/json-object.ts";
import { BuildFailure } from "../build-room.ts";

/**
 * The lock of a bun, deno or nodejs script is one text: the package.json that was resolved, a line `//bun.lock`, and bun's text lock file.
 * A script without packages has an empty lock.
 */
export interface NpmLock {
  dependencies: Record<string, string>;
  bunLock: string;
  /** A package comes from an address that the lock names instead of the registry's own. */
  namesAddresses: boolean;
}

const SEPARATOR = "\n//bun.lock\n";
const NAME = /^(@[\w.~-]+\/)?[A-Za-z0-9_~-][\w.~-]*$/;
/** What the registry serves. Folders, git and tarball addresses would make the build read or run what is not a package from the registry. */
const REGISTRY_PACKAGE = /^(@[\w.~-]+\/)?[A-Za-z0-9_~-][\w.~-]*@\d+\.\d+\.\d+[\w.+-]*$/;
const RANGE = /^(npm:(@[\w.~-]+\/)?[\w.~-]+@)?[\w.+*^~<>=| -]*$/;

export function writeNpmLock(packageJson: string, bunLock: string): string {
  return `${packageJson.trimEnd()}${SEPARATOR}${bunLock}`;
}

/**
 * Reads a lock, which the caller may have written. `bunLock` is written anew from what was checked here, so that bun sees nothing else.
 */
export function readNpmLock(text: string): NpmLock {
  const at = text.indexOf(SEPARATOR);
  if (at === -1) throw broken("it must be a package.json, a line //bun.lock, and the text of a bun.lock");
  const { dependencies = {}, ...rest } = parseObject(text.slice(0, at), "its package.json");
  if (Object.keys(rest).length > 0) throw broken(`its package.json may contain only dependencies, but it contains ${Object.keys(rest)[0]}`);
  const lock = parseObject(text.slice(at + SEPARATOR.length).replace(/,(?=\s*[}\]])/g, ""), "its bun.lock");
  const { lockfileVersion, configVersion, workspaces, packages = {}, ...more } = lock;
  if (Object.keys(more).length > 0) throw broken(`${Object.keys(more)[0]} is not supported`);
  const root = isJsonObject(workspaces) && isJsonObject(workspaces[""]) ? workspaces[""] : {};
  const checked = Object.entries(asObject(packages, "packages")).map(([key, value]) => [key, checkPackage(value)] as const);
  return {
    dependencies: checkRanges(dependencies),
    bunLock: JSON.stringify({
      lockfileVersion,
      configVersion,
      workspaces: { "": { dependencies: checkRanges(root["dependencies"] ?? {}) } },
      packages: Object.fromEntries(checked),
    }),
    namesAddresses: checked.some(([, [, address]]) => address !== ""),
  };
}

type LockedPackage = [id: string, address: string, info: Record<string, unknown>, integrity: string];

function checkPackage(value: unknown): LockedPackage {
  const [id, address, info, integrity] = Array.isArray(value) ? value : [];
  if (typeof id !== "string" || !REGISTRY_PACKAGE.test(id) || typeof address !== "string") {
    throw broken(`${JSON.stringify(id)} is not a package from the registry`);
  }
  if (typeof integrity !== "string" || !integrity.startsWith("sha512-")) throw broken(`${id} has no sha512 integrity`);
  const { bin: _bin, binDir: _binDir, bundled: _bundled, ...kept } = asObject(info, id);
  for (const field of ["dependencies", "optionalDependencies", "peerDependencies"]) {
    if (kept[field] !== undefined) checkRanges(kept[field]);
  }
  return [id, address, kept, integrity];
}

/** Names become folders, ranges say where from: neither may say anything else. */
function checkRanges(value: unknown): Record<string, string> {
  const entries = Object.entries(asObject(value, "dependencies"));
  for (const [name, range] of entries) {
    if (!NAME.test(name)) throw broken(`"${name}" is not a valid package name`);
    if (typeof range !== "string" || !RANGE.test(range)) throw broken(`${name} has no version from the registry`);
  }
  return Object.fromEntries(entries) as Record<string, string>;
}

function parseObject(text: string, what: string): Record<string, unknown> {
  try {
    return asObject(JSON.parse(text), what);
  } catch (error) {
    if (error instanceof BuildFailure) throw error;
    throw broken(`${what} cannot be read`);
  }
}

function asObject(value: unknown, what: string): Record<string, unknown> {
  if (!isJsonObject(value)) throw broken(`${what} is not an object`);
  return value;
}

function broken(reason: string): BuildFailure {
  return new BuildFailure(`The lock cannot be used: ${reason}. Save the script without a lock to resolve its packages again.`);
}
