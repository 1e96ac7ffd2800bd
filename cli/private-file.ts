import { chmodSync, renameSync, writeFileSync } from "node:fs";

/** Writes a file that only its owner may read. A rename leaves either the old or the new content. */
export function writePrivateFile(file: string, content: string | Uint8Array): void {
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, content, { mode: 0o600 });
  // A left-over file of a process with the same id has its own mode.
  chmodSync(temporary, 0o600);
  renameSync(temporary, file);
}
