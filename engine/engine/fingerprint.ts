import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

/** The sources of a deployment. Engine, tests and decisions are not part of it. */
export const deployedSources: readonly string[] = [
  "bin",
  "lib",
  "contract",
  "core",
  "ports",
  "services",
  "aws",
  "functions",
  "runners",
  "statemachines",
  // Every deployment serves the command line and the clients of the version that it runs.
  "cli",
  "clients",
  "web",
  // The guides.
  "docs",
  "cdk.json",
  "package-lock.json",
  "engine/launch/requirements.txt",
];

const ignored = /(\.test\.ts|_test\.py|\.pyc|~)$/;
const ignoredFolders = new Set(["node_modules", "__pycache__", "fixtures", "dist", "decisions"]);

/** Returns a digest of the deployment's sources and of `settings`. It takes milliseconds, so every start can compute it. */
export function sourceFingerprint(root: string, settings: unknown): string {
  const hash = createHash("sha256").update(JSON.stringify(settings));
  for (const source of deployedSources) {
    for (const file of filesBelow(path.join(root, source))) {
      hash.update(`\0${path.relative(root, file)}\0`).update(readFileSync(file));
    }
  }
  return hash.digest("hex");
}

/** Returns a digest of the files from which bundles are made. */
export const bundleFingerprint = (root: string): string => sourceFingerprint(root, "bundles");

/** Returns a digest of the template, which names its assets by the hash of their content. */
export function templateFingerprint(cdkOut: string): string {
  const hash = createHash("sha256");
  for (const file of readdirSync(cdkOut).sort()) {
    if (file.endsWith(".template.json")) hash.update(`\0${file}\0`).update(readFileSync(path.join(cdkOut, file)));
  }
  return hash.digest("hex");
}

function filesBelow(start: string): string[] {
  if (!existsSync(start)) return [];
  if (statSync(start).isFile()) return [start];
  return readdirSync(start, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const file = path.join(start, entry.name);
      if (entry.isDirectory()) return ignoredFolders.has(entry.name) ? [] : filesBelow(file);
      return entry.isFile() && !ignored.test(entry.name) ? [file] : [];
    });
}
