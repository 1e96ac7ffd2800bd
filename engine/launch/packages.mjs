import fs from "node:fs";
import path from "node:path";

/**
 * Names of packages that `node_modules` lacks, compared with the lock file; empty when nothing is to be done. npm records in
 * `node_modules/.package-lock.json` what it put there, at the very end: an interrupted install has none. Reading that record
 * is why no stamp of our own can go stale, and why an install done by hand is never repeated.
 */
export function missingPackages(root, platform = process.platform, arch = process.arch) {
  const wanted = readPackages(path.join(root, "package-lock.json"));
  if (!wanted) return [];
  const present = readPackages(path.join(root, "node_modules", ".package-lock.json"));
  if (!present) return Object.keys(wanted);
  return Object.keys(wanted).filter((key) => {
    const entry = wanted[key];
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
 * Whether the entry belongs on this platform. An optional one that names no platform may belong to one that does, which the lock file
 * does not tell, so it is not asked for.
 */
function fits(entry, platform, arch) {
  if (entry.optional && entry.os === undefined && entry.cpu === undefined) return false;
  if (!matches(entry.os, platform) || !matches(entry.cpu, arch)) return false;
  return entry.libc === undefined || (platform === "linux" && matches(entry.libc, libc()));
}

/** npm's `os`, `cpu` and `libc` lists: names, or `!name` for all but. */
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
