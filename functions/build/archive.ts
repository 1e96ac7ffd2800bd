import { createHash } from "node:crypto";
import type { Dirent } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { crc32, deflateRaw } from "node:zlib";
import { Zip, type ZipInputFile } from "fflate";
import { BuildFailure } from "./build-room.ts";

/** Local time on purpose: zip stores the fields of a local date, so these are the same bytes in every time zone. */
const MTIME = new Date(1980, 0, 1);
const UNIX = 3;
const REGULAR_FILE = 0o100000;
/** Deflating hard costs seconds above this size, and saves little: what is large is mostly compressed or machine code. */
const HARD_BELOW_BYTES = 8 * 1024 * 1024;

export interface Archive {
  bytes: Uint8Array;
  sha256: string;
}

/** Zips a directory's regular files, in order of their names and without times, so that equal content gives equal bytes. */
export async function archiveOf(dir: string, maxBytes: number): Promise<Archive> {
  const paths = (await filesBelow(dir)).sort();
  const sizes = await Promise.all(paths.map(async (path) => (await stat(join(dir, path))).size));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  // Deflate rarely does better than this on packages; what would is not worth the memory to find out.
  if (total > maxBytes * 5) throw tooLarge(total, maxBytes, "unpacked");
  const options = { level: total < HARD_BELOW_BYTES ? 6 : 1 };
  const chunks: Uint8Array[] = [];
  let failure: Error | null = null;
  const zip = new Zip((error, chunk) => {
    failure ??= error;
    chunks.push(chunk);
  });
  // A few at a time keeps both cores busy without holding the whole directory unpacked.
  for (let at = 0; at < paths.length; at += 8) {
    const packed = await Promise.all(paths.slice(at, at + 8).map((path) => pack(dir, path, options)));
    for (const { file, data } of packed) {
      zip.add(file);
      file.ondata?.(null, data, true);
    }
  }
  zip.end();
  if (failure) throw failure;
  const bytes = Buffer.concat(chunks);
  if (bytes.length > maxBytes) throw tooLarge(bytes.length, maxBytes, "zipped");
  return { bytes, sha256: createHash("sha256").update(bytes).digest("hex") };
}

const deflate = promisify(deflateRaw) as (data: Uint8Array, options: { level: number }) => Promise<Uint8Array<ArrayBuffer>>;

/** Node's zlib, because fflate's own takes three times as long; fflate lays out the zip around it. */
async function pack(dir: string, path: string, options: { level: number }): Promise<{ file: ZipInputFile; data: Uint8Array<ArrayBuffer> }> {
  const content = await readFile(join(dir, path));
  const { mode } = await stat(join(dir, path));
  const attrs = ((REGULAR_FILE | (mode & 0o111 ? 0o755 : 0o644)) << 16) >>> 0;
  const file = { filename: path, size: content.length, crc: crc32(content), compression: 8, mtime: MTIME, os: UNIX, attrs };
  return { file, data: await deflate(content, options) };
}

function tooLarge(bytes: number, maxBytes: number, how: string): BuildFailure {
  const mb = (value: number) => `${Math.round(value / 1024 / 1024)} MB`;
  return new BuildFailure(
    `The script and its packages are ${mb(bytes)} ${how}; the limit is ${mb(maxBytes)} zipped. Use fewer or smaller packages.`,
  );
}

/** Symbolic links are left out: one could name any file of this machine. */
async function filesBelow(dir: string, prefix = ""): Promise<string[]> {
  const entries: Dirent[] = await readdir(join(dir, prefix), { withFileTypes: true });
  const found = await Promise.all(
    entries.map((entry) => {
      const path = join(prefix, entry.name);
      if (entry.isDirectory()) return filesBelow(dir, path);
      return entry.isFile() ? [path] : [];
    }),
  );
  return found.flat();
}
