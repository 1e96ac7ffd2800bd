import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { unzipSync } from "fflate";
import type { Artefact } from "../../protocol.ts";
import { removeTree, repairWorkDir } from "../process/tmp.ts";
import { settings } from "../settings.ts";
import { isIntact, noteRun } from "./seals.ts";

/** The artefact could not be downloaded or does not match its hash. The outcome reports it as a failure although the script is not at fault. */
export class ArtefactError extends Error {
  override readonly name: string = "ArtefactError";
}

const CACHE_BYTES = 400 * 1024 * 1024;
/** The limit of the unpacked size. A zip lists its sizes, so the limit is checked before anything is written. */
const MAX_UNPACKED_BYTES = 1024 * 1024 * 1024;
/** The size unpacked at a time, so that a large artefact is never in memory as a whole. */
const PART_BYTES = 32 * 1024 * 1024;
/** Another supervisor may be running an artefact that it touched within this time, which is longer than the longest job. */
const OTHERS_USE_MS = 15 * 60_000;

const loads = new Map<string, Promise<string>>();
const touched = new Map<string, number>();

/**
 * Returns the directory of an unpacked artefact, which is about to run. The first use, and a use after another script has changed its files, downloads,
 * verifies and unpacks it. Throws `ArtefactError`.
 */
export async function loadArtefact(artefact: Artefact, nowMs: number): Promise<string> {
  const { sha256 } = artefact;
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new ArtefactError("The artefact's hash is not a SHA-256.");
  const directory = join(settings().workDir, "artefacts", sha256);
  if (existsSync(directory)) {
    if (isIntact(directory)) {
      noteRun(directory);
      touch(directory, nowMs);
      return directory;
    }
    removeTree(directory);
    if (existsSync(directory)) throw new ArtefactError("Another script has changed the files of this one, and they cannot be removed.");
  }
  let load = loads.get(sha256);
  if (!load) {
    load = fetchAndUnpack(artefact, directory).finally(() => loads.delete(sha256));
    loads.set(sha256, load);
  }
  await load;
  noteRun(directory);
  touch(directory, nowMs);
  return directory;
}

/** Marks an artefact as used. Once a minute is precise enough for eviction. */
function touch(directory: string, nowMs: number): void {
  if (nowMs - (touched.get(directory) ?? 0) < 60_000) return;
  touched.set(directory, nowMs);
  try {
    utimesSync(`${directory}.size`, nowMs / 1000, nowMs / 1000);
  } catch {
    // Another supervisor is evicting it; the next run downloads it again.
  }
}

async function fetchAndUnpack(artefact: Artefact, directory: string): Promise<string> {
  const zip = await download(artefact.url);
  if (createHash("sha256").update(zip).digest("hex") !== artefact.sha256) {
    throw new ArtefactError(`The artefact is damaged: its SHA-256 is not the expected one.`);
  }
  const partial = `${directory}.${process.pid}-${randomBytes(4).toString("hex")}.part`;
  try {
    const bytes = unpack(zip, partial);
    writeFileSync(`${directory}.size`, String(bytes), { mode: 0o600 });
    renameSync(partial, directory);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    // If another supervisor was faster, its copy has the same hash.
    if (!existsSync(directory)) throw error;
  }
  return directory;
}

/** Downloads `url` in at most three attempts of 60 s. `subject` begins the sentence of the `ArtefactError` that it throws. */
export async function download(url: string, subject = "The artefact"): Promise<Uint8Array> {
  let problem = "";
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(60_000) });
      if (response.ok) return new Uint8Array(await response.arrayBuffer());
      await response.body?.cancel();
      problem = `HTTP ${response.status}`;
      if (response.status < 500 && response.status !== 429) break;
    } catch (error) {
      // The error's own message may contain the presigned URL, which is a secret.
      problem = error instanceof Error && error.name === "TimeoutError" ? "no answer in 60 s" : "no connection";
    }
  }
  throw new ArtefactError(`${subject} could not be downloaded: ${problem}.`);
}

/** Unpacks into `target`, which must not exist, and returns the unpacked bytes. Throws `ArtefactError` for a path outside `target`. */
export function unpack(zip: Uint8Array, target: string): number {
  const entries: { name: string; bytes: number }[] = [];
  unzipSync(zip, {
    filter: ({ name, originalSize }) => {
      entries.push({ name, bytes: originalSize });
      return false;
    },
  });
  const total = entries.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total > MAX_UNPACKED_BYTES) throw new ArtefactError("The artefact is larger than 1 GB when unpacked.");
  for (const { name } of entries) {
    const parts = name.split(/[/\\]/);
    if (name.startsWith("/") || /^[A-Za-z]:/.test(name) || parts.includes("..") || name.includes("\0")) {
      throw new ArtefactError(`The artefact contains a path outside its directory: ${name}`);
    }
  }
  mkdirSync(target, { recursive: true, mode: 0o700 });
  const done = new Set<string>();
  while (done.size < entries.length) {
    let room = PART_BYTES;
    const files = unzipSync(zip, {
      filter: ({ name, originalSize }) => {
        if (done.has(name) || (room < PART_BYTES && originalSize > room)) return false;
        room -= originalSize;
        done.add(name);
        return true;
      },
    });
    if (Object.keys(files).length === 0) break;
    for (const [name, content] of Object.entries(files)) {
      const path = join(target, name);
      if (name.endsWith("/")) {
        mkdirSync(path, { recursive: true });
        continue;
      }
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      if (name === "main" || name === "main.sh") chmodSync(path, 0o755);
    }
  }
  return total;
}

/** Removes the least recently used artefacts until the rest is at most `maxBytes`. `keep` lists those that this supervisor is using. */
export function evictArtefacts(keep: ReadonlySet<string>, nowMs: number, maxBytes = CACHE_BYTES): void {
  const { workDir, sole } = settings();
  repairWorkDir();
  const root = join(workDir, "artefacts");
  const cached = readdirSync(root)
    .filter((name) => /^[0-9a-f]{64}$/.test(name))
    .map((name) => ({ directory: join(root, name), ...sizeAndUse(join(root, `${name}.size`)) }))
    .sort((a, b) => a.usedMs - b.usedMs);
  let total = cached.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { directory, bytes, usedMs } of cached) {
    if (total <= maxBytes) return;
    // Another supervisor may be using an artefact that it touched recently.
    if (keep.has(directory) || (!sole && nowMs - usedMs < OTHERS_USE_MS)) continue;
    const gone = `${directory}.${process.pid}.gone`;
    try {
      renameSync(directory, gone);
    } catch {
      continue; // Another supervisor evicts it.
    }
    rmSync(gone, { recursive: true, force: true });
    rmSync(`${directory}.size`, { force: true });
    touched.delete(directory);
    total -= bytes;
  }
}

function sizeAndUse(path: string): { bytes: number; usedMs: number } {
  try {
    const { mtimeMs } = statSync(path);
    return { bytes: Number(readFileSync(path, "utf8")) || 0, usedMs: mtimeMs };
  } catch {
    // Another supervisor has removed the artefact.
    return { bytes: 0, usedMs: 0 };
  }
}
