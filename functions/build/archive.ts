import { createHash } from "node:crypto";
import type { Dirent } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { crc32, deflateRaw } from "node:zlib";
import { Zip, type ZipInputFile } from "fflate";
import { BuildFailure } from "./build-sandbox.ts";

/** A local date, because zip stores local dates: this gives the same bytes in every time zone. */
const MTIME = new Date(1980, 0, 1);
const UNIX = 3;
const REGULAR_FILE = 0o100000;
/**
 * Above this size a high compression level takes seconds and saves little, because large content is mostly already compressed or machine code.
 */
const HARD_BELOW_BYTES = 8 * 1024 * 1024;

export interface Archive {
  bytes: Uint8Array;
  sha256: string;
}

/**
 * Zips a directory's regular files, sorted by name and without times, so that equal content produces equal bytes. Throws `BuildFailure` if the
 * archive exceeds `maxBytes`.
 */
export async function createArchive(dir: string, maxBytes: number): Promise<Archive> {
  const paths = (await listFiles(dir)).sort();
  const sizes = await Promise.all(paths.map(async (path) => (await stat(join(dir, path))).size));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  // Packages rarely compress better than this, so larger content is rejected before it uses memory.
  if (total > maxBytes * 5) throw tooLargeFailure(total, maxBytes, "unpacked");
  const options = { level: total < HARD_BELOW_BYTES ? 6 : 1 };
  const chunks: Uint8Array[] = [];
  let failure: Error | null = null;
  const zip = new Zip((error, chunk) => {
    failure ??= error;
    chunks.push(chunk);
  });
  // Compressing a few at a time uses all cores without loading the whole directory.
  for (let at = 0; at < paths.length; at += 8) {
    const packed = await Promise.all(paths.slice(at, at + 8).map((path) => compressFile(dir, path, options)));
    for (const { file, data } of packed) {
      zip.add(file);
      file.ondata?.(null, data, true);
    }
  }
  zip.end();
  if (failure) throw failure;
  const bytes = Buffer.concat(chunks);
  if (bytes.length > maxBytes) throw tooLargeFailure(bytes.length, maxBytes, "zipped");
  return { bytes, sha256: createHash("sha256").update(bytes).digest("hex") };
}

const deflate = promisify(deflateRaw) as (data: Uint8Array, options: { level: number }) => Promise<Uint8Array<ArrayBuffer>>;

/** Compresses with Node's zlib, because fflate's own compression takes three times as long; fflate writes the zip structure. */
async function compressFile(
  dir: string,
  path: string,
  options: { level: number },
): Promise<{ file: ZipInputFile; data: Uint8Array<ArrayBuffer> }> {
  const content = await readFile(join(dir, path));
  const { mode } = await stat(join(dir, path));
  const attrs = ((REGULAR_FILE | (mode & 0o111 ? 0o755 : 0o644)) << 16) >>> 0;
  const file = { filename: path, size: content.length, crc: crc32(content), compression: 8, mtime: MTIME, os: UNIX, attrs };
  return { file, data: await deflate(content, options) };
}

function tooLargeFailure(bytes: number, maxBytes: number, how: string): BuildFailure {
  const mb = (value: number) => `${Math.round(value / 1024 / 1024)} MB`;
  return new BuildFailure(
    `The script and its packages are ${mb(bytes)} ${how}; the limit is ${mb(maxBytes)} zipped. Use fewer or smaller packages.`,
  );
}

/** Symbolic links are omitted, because they could name any file of this machine. */
async function listFiles(dir: string, prefix = ""): Promise<string[]> {
  const entries: Dirent[] = await readdir(join(dir, prefix), { withFileTypes: true });
  const found = await Promise.all(
    entries.map((entry) => {
      const path = join(prefix, entry.name);
      if (entry.isDirectory()) return listFiles(dir, path);
      return entry.isFile() ? [path] : [];
    }),
  );
  return found.flat();
}
