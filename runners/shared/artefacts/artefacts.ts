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
import { settings } from "../settings.ts";

/** The code could not be fetched, or is not what was built. Not the script's fault; the outcome still says it as a failure. */
export class ArtefactError extends Error {
  override readonly name: string = "ArtefactError";
}

const CACHE_BYTES = 400 * 1024 * 1024;
/** Unpacked; a zip says its sizes, so that this is checked before anything is written. */
const MAX_UNPACKED_BYTES = 1024 * 1024 * 1024;
/** Unpacked at a time, so that a large artefact never stands in memory as a whole. */
const PART_BYTES = 32 * 1024 * 1024;
/** Another supervisor may be running what it touched within this time: longer than the longest job. */
const OTHERS_USE_MS = 15 * 60_000;

const loads = new Map<string, Promise<string>>();
const touched = new Map<string, number>();

/** The directory of an unpacked artefact; fetched, checked and unpacked at first use. Throws `ArtefactError`. */
export async function loadArtefact(artefact: Artefact, nowMs: number): Promise<string> {
  const { sha256 } = artefact;
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new ArtefactError("The artefact's hash is not a SHA-256.");
  const directory = join(settings().workDir, "artefacts", sha256);
  if (existsSync(directory)) {
    touch(directory, nowMs);
    return directory;
  }
  let load = loads.get(sha256);
  if (!load) {
    load = fetchAndUnpack(artefact, directory).finally(() => loads.delete(sha256));
    loads.set(sha256, load);
  }
  await load;
  touch(directory, nowMs);
  return directory;
}

/** Marks an artefact as used. Once a minute is enough to find the oldest. */
function touch(directory: string, nowMs: number): void {
  if (nowMs - (touched.get(directory) ?? 0) < 60_000) return;
  touched.set(directory, nowMs);
  try {
    utimesSync(`${directory}.size`, nowMs / 1000, nowMs / 1000);
  } catch {
    // Evicted in this moment by another supervisor: the next run fetches it again.
  }
}

async function fetchAndUnpack(artefact: Artefact, directory: string): Promise<string> {
  const zip = await download(artefact.url);
  if (createHash("sha256").update(zip).digest("hex") !== artefact.sha256) {
    throw new ArtefactError(`The artefact ${artefact.key} is damaged: its hash is not the one that was built.`);
  }
  const partial = `${directory}.${process.pid}-${randomBytes(4).toString("hex")}.part`;
  try {
    const bytes = unpack(zip, partial);
    writeFileSync(`${directory}.size`, String(bytes), { mode: 0o600 });
    renameSync(partial, directory);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    // Another supervisor was first: its copy has the same hash.
    if (!existsSync(directory)) throw error;
  }
  return directory;
}

export async function download(url: string): Promise<Uint8Array> {
  let problem = "";
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(60_000) });
      if (response.ok) return new Uint8Array(await response.arrayBuffer());
      await response.body?.cancel();
      problem = `HTTP ${response.status}`;
      if (response.status < 500 && response.status !== 429) break;
    } catch (error) {
      // Its message may hold the presigned URL.
      problem = error instanceof Error && error.name === "TimeoutError" ? "no answer in 60 s" : "no connection";
    }
  }
  throw new ArtefactError(`The script's code could not be fetched: ${problem}.`);
}

/** Unpacks into `target`, which must not exist; answers how many bytes. No entry may leave the directory. */
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
      throw new ArtefactError(`The artefact holds a path that leaves its directory: ${name}`);
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

/** Removes the artefacts unused for longest until the rest fits the cache. `keep` is in use by this supervisor. */
export function evictArtefacts(keep: ReadonlySet<string>, nowMs: number, maxBytes = CACHE_BYTES): void {
  const { workDir, tmpMode } = settings();
  const root = join(workDir, "artefacts");
  const cached = readdirSync(root)
    .filter((name) => /^[0-9a-f]{64}$/.test(name))
    .map((name) => ({ directory: join(root, name), ...sizeAndUse(join(root, `${name}.size`)) }))
    .sort((a, b) => a.usedMs - b.usedMs);
  let total = cached.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { directory, bytes, usedMs } of cached) {
    if (total <= maxBytes) return;
    // On AWS (`sweep`) there is one supervisor for each disk; elsewhere others may be using what they touched lately.
    if (keep.has(directory) || (tmpMode !== "sweep" && nowMs - usedMs < OTHERS_USE_MS)) continue;
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
    return { bytes: 0, usedMs: 0 };
  }
}
