import { createHash } from "node:crypto";
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { settings } from "../settings.ts";

/*
 * The scripts of one environment have one user, so a script can change the unpacked files of another one. A script may change its own: Python
 * stores compiled modules there. The state of an artefact is therefore recorded when another one is about to run, and compared before it runs again.
 * Between two runs only processes that wait for the same script live, and they end before another one's files are read.
 */

const seals = new Map<string, string | undefined>();
/** The artefact that ran last. */
let current: string | undefined;

/** Call this before an artefact runs. Returns false if its files have changed since its own last run. */
export function isIntact(directory: string): boolean {
  // Elsewhere other supervisors use the same files, and all jobs belong to the same developer.
  if (!settings().sole || directory === current) return true;
  const seal = seals.get(directory);
  return seal !== undefined && seal === describeTree(directory);
}

/** Call this when an artefact is intact, or unpacked, and is about to run. */
export function noteRun(directory: string): void {
  if (!settings().sole || directory === current) return;
  if (current !== undefined) seals.set(current, describeTree(current));
  current = directory;
}

/** Returns a hash of the path, type, size and time of change of every entry. No process can set that time (`ctime`), not even after a change. */
function describeTree(root: string): string | undefined {
  const hash = createHash("sha256");
  const add = (path: string) => {
    const { ino, mode, size, ctimeNs } = lstatSync(path, { bigint: true });
    hash.update(JSON.stringify([path, ...[ino, mode, size, ctimeNs].map(String)]));
  };
  const walk = (directory: string) => {
    add(directory);
    for (const entry of readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) walk(path);
      else add(path);
    }
  };
  try {
    walk(root);
  } catch {
    // It was removed, or a script made it unreadable: it equals no recorded state.
    return undefined;
  }
  return hash.digest("hex");
}
