import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { unpackTar } from "modern-tar";

/** Unpacks a package of npm to a folder, and returns the names of its files. */
export async function unpackPackage(bytes: Uint8Array, folder: string): Promise<string[]> {
  const entries = (await unpackTar(gunzipSync(bytes))).map(({ header, data }) => ({
    name: header.name.replace(/^package\//, ""),
    mode: header.mode,
    content: data ?? new Uint8Array(),
  }));
  for (const { name, mode, content } of entries) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content, mode === undefined ? {} : { mode });
  }
  return entries.map(({ name }) => name);
}
