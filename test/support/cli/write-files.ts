import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Writes files below a folder, with the folders that they need. */
export function writeFiles(
  folder: string,
  files: Readonly<Record<string, string>> | Iterable<readonly [file: string, text: string]>,
): void {
  for (const [file, text] of Symbol.iterator in files ? files : Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
}
