import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { guideWords } from "./guide-words.ts";
import { GUIDES, guideEntries } from "./guides.ts";

/**
 * The pages of `web/` as Vite builds them, compressed, by name: `approve.html` and the content of `assets/`, named after its digests. Built
 * once for each state of the sources, in a separate folder, so that two simultaneous builds do not interfere.
 */
export function webFiles(root: string): Map<string, Uint8Array> {
  const builds = join(root, "dist/web");
  const built = join(builds, sourcesHash(root));
  if (!existsSync(built)) {
    mkdirSync(builds, { recursive: true });
    const fresh = mkdtempSync(join(builds, ".building-"));
    build(root, fresh);
    keepOnly(builds, fresh, built);
  }
  const pages = readdirSync(built).filter((name) => name.endsWith(".html"));
  const assets = readdirSync(join(built, "assets")).map((name) => join("assets", name));
  return new Map(
    [...pages, ...assets].map((path) => [
      `${path.replace(/^assets[/\\]/, "")}.gz`,
      gzipSync(readFileSync(join(built, path)), { level: 9 }),
    ]),
  );
}

/** In a separate process, because Vite can only build asynchronously. */
function build(root: string, out: string): void {
  // The environment of a process has no room for it.
  const guides = join(out, "guides.json");
  writeFileSync(guides, JSON.stringify({ entries: guideEntries(root), words: guideWords(root) }));
  for (const mode of ["pages", "console"]) {
    const vite = join(root, "node_modules/vite/bin/vite.js");
    execFileSync(process.execPath, [vite, "build", join(root, "web"), "--mode", mode, "--outDir", out, "--logLevel", "warn"], {
      cwd: root,
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, NODE_ENV: "production", SVC_GUIDES: guides },
    });
  }
}

/** Moves a build to its place and removes those of older sources. If another process was first, its build is equal. */
function keepOnly(builds: string, fresh: string, destination: string): void {
  try {
    renameSync(fresh, destination);
  } catch (error) {
    if (!existsSync(destination)) throw error;
  }
  for (const name of readdirSync(builds)) {
    const old = join(builds, name);
    if (old !== destination && (old === fresh || !name.startsWith("."))) rmSync(old, { recursive: true, force: true });
  }
}

/** Everything that the pages are built from: their sources, the rules of the service that the editors share with it, and the guides. */
function sourcesHash(root: string): string {
  const hash = createHash("sha256");
  const sources = ["web", "core", "contract", "clients"]
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !/\.test\.ts$|\.md$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  // The pages contain the parsers of signatures, and the types of our clients.
  const parsers = ["core/signatures", "core/builds/parsers"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.test\.ts$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const guides = Object.values(GUIDES).flatMap((paths) => paths.map((path) => join(root, "docs", path)));
  const builders = ["guides.ts", "guide-words.ts"].map((name) => join(root, "lib/api", name));
  for (const path of [...sources, ...parsers.sort(), ...guides.sort(), ...builders, join(root, "package-lock.json")]) {
    if (existsSync(path)) hash.update(`\0${relative(root, path)}\0`).update(readFileSync(path));
  }
  return hash.digest("hex").slice(0, 16);
}
