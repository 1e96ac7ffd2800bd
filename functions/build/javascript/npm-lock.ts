import { isJsonObject } from "../../../contract/json/json-object.ts";
import { BuildFailure } from "../build-sandbox.ts";

/**
 * The lock of a bun, deno or nodejs script: the resolved package.json, a line `//bun.lock`, and bun's text lock file. A script without
 * packages has an empty lock.
 */
export interface NpmLock {
  dependencies: Record<string, string>;
  bunLock: string;
  /** The addresses of packages that do not come from the registry. */
  addresses: string[];
}

const SEPARATOR = "\n//bun.lock\n";
const NAME = /^(@[\w.~-]+\/)?[A-Za-z0-9_~-][\w.~-]*$/;
/** Packages from the registry. Folders, git and tarball addresses could make the build read or run other content. */
const REGISTRY_PACKAGE = /^(@[\w.~-]+\/)?[A-Za-z0-9_~-][\w.~-]*@\d+\.\d+\.\d[\w.+-]*$/;
const RANGE = /^(npm:(@[\w.~-]+\/)?[\w.~-]+@)?[\w.+*^~<>=| -]*$/;

/** Returns the lock with these texts of package.json and bun.lock. */
export function writeNpmLock(packageJson: string, bunLock: string): string {
  return `${packageJson.trimEnd()}${SEPARATOR}${bunLock}`;
}

/**
 * Reads a lock, which the caller may have written. `bunLock` is written again from the validated fields, so that bun reads nothing else.
 * Throws `BuildFailure`.
 */
export function readNpmLock(text: string): NpmLock {
  const at = text.indexOf(SEPARATOR);
  if (at === -1) throw lockFailure("it must be a package.json, a line //bun.lock, and the text of a bun.lock");
  const { dependencies = {}, ...rest } = parseObject(text.slice(0, at), "its package.json");
  if (Object.keys(rest).length > 0)
    throw lockFailure(`its package.json may contain only dependencies, but it contains ${Object.keys(rest)[0]}`);
  const lock = parseObject(text.slice(at + SEPARATOR.length).replace(/,(?=\s*[}\]])/g, ""), "its bun.lock");
  const { lockfileVersion, configVersion, workspaces, packages = {}, ...more } = lock;
  if (Object.keys(more).length > 0) throw lockFailure(`${Object.keys(more)[0]} is not supported`);
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
    addresses: checked.flatMap(([, [, address]]) => (address === "" ? [] : [address])),
  };
}

/** Throws `BuildFailure` for an address outside of `registries`: a lock could otherwise make the build call any address within its network. */
export function checkLockAddresses({ addresses }: NpmLock, registries: readonly string[]): void {
  const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : undefined);
  const allowed = new Set(registries.flatMap((url) => originOf(url) ?? []));
  const other = addresses.find((address) => !allowed.has(originOf(address) ?? ""));
  if (other !== undefined) throw lockFailure(`${other.slice(0, 200)} is not an address of a configured registry`);
}

type LockedPackage = [id: string, address: string, info: Record<string, unknown>, integrity: string];

function checkPackage(value: unknown): LockedPackage {
  const [id, address, info, integrity] = Array.isArray(value) ? value : [];
  if (typeof id !== "string" || !REGISTRY_PACKAGE.test(id) || typeof address !== "string") {
    throw lockFailure(`${JSON.stringify(id)} is not a package from the registry`);
  }
  if (typeof integrity !== "string" || !integrity.startsWith("sha512-")) throw lockFailure(`${id} has no sha512 integrity`);
  const { bin: _bin, binDir: _binDir, bundled: _bundled, ...kept } = asObject(info, id);
  for (const field of ["dependencies", "optionalDependencies", "peerDependencies"]) {
    if (kept[field] !== undefined) checkRanges(kept[field]);
  }
  return [id, address, kept, integrity];
}

/** Names become folders and ranges select sources, so both are restricted to what the registry offers. */
function checkRanges(value: unknown): Record<string, string> {
  const entries = Object.entries(asObject(value, "dependencies"));
  for (const [name, range] of entries) {
    if (!NAME.test(name)) throw lockFailure(`"${name}" is not a valid package name`);
    if (typeof range !== "string" || !RANGE.test(range)) throw lockFailure(`${name} has no version from the registry`);
  }
  return Object.fromEntries(entries) as Record<string, string>;
}

function parseObject(text: string, subject: string): Record<string, unknown> {
  try {
    return asObject(JSON.parse(text), subject);
  } catch (error) {
    if (error instanceof BuildFailure) throw error;
    throw lockFailure(`${subject} cannot be read`);
  }
}

function asObject(value: unknown, subject: string): Record<string, unknown> {
  if (!isJsonObject(value)) throw lockFailure(`${subject} is not an object`);
  return value;
}

function lockFailure(reason: string): BuildFailure {
  return new BuildFailure(`The lock cannot be used: ${reason}. Save the script without a lock to resolve its packages again.`);
}
