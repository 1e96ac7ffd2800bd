import fs from "node:fs";
import path from "node:path";

/**
 * Returns the names of packages that `node_modules` lacks, compared with the lock file. npm writes `node_modules/.package-lock.json` at the
 * end of an install, so an interrupted install has none. This record is always current, including installs by hand, so no other stamp is
 * needed.
 */
export function missingPackages(root, platform = process.platform, arch = process.arch) {
  const lockedPackages = readPackages(path.join(root, "package-lock.json"));
  if (!lockedPackages) return [];
  const present = readPackages(path.join(root, "node_modules", ".package-lock.json"));
  if (!present) return Object.keys(lockedPackages);
  return Object.keys(lockedPackages).filter((key) => {
    const entry = lockedPackages[key];
    if (key === "" || !fits(entry, platform, arch)) return false;
    return present[key]?.version !== entry.version || present[key]?.integrity !== entry.integrity;
  });
}

function readPackages(file) {
  try {
    return JSON.parse(fs.readFileSync(file, "utf8")).packages;
  } catch {
    return undefined;
  }
}

/**
 * Returns whether an entry belongs to this platform. An optional entry without a platform may belong to a platform-specific one, which the
 * lock file does not show, so it is ignored.
 */
function fits(entry, platform, arch) {
  if (entry.optional && entry.os === undefined && entry.cpu === undefined) return false;
  if (!matches(entry.os, platform) || !matches(entry.cpu, arch)) return false;
  return entry.libc === undefined || (platform === "linux" && matches(entry.libc, libc()));
}

/** npm's `os`, `cpu` and `libc` lists: names, or `!name` for all others. */
function matches(list, value) {
  if (list === undefined) return true;
  if (list.includes(`!${value}`)) return false;
  const positive = list.filter((item) => !item.startsWith("!"));
  return positive.length === 0 || positive.includes(value);
}

let knownLibc;
function libc() {
  knownLibc ??= process.report?.getReport().header.glibcVersionRuntime ? "glibc" : "musl";
  return knownLibc;
}
