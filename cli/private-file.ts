import { randomUUID } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";

/** Writes a file that only its owner may read, whatever rights it had before. A rename leaves either the old or the new content. */
export function writePrivateFile(file: string, content: string | Uint8Array): void {
  const temporary = `${file}.${randomUUID()}`;
  try {
    // The file must be new, so that a link in its place is not followed.
    writeFileSync(temporary, content, { mode: 0o600, flag: "wx" });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Lets only its owner read a file, if it exists. Links, files of other users, and files on a file system without rights do not change. */
export function makePrivateFile(file: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (!found?.isFile() || (found.mode & 0o077) === 0 || process.platform === "win32") return;
  try {
    chmodSync(file, 0o600);
  } catch {
    // Only the owner may change the rights.
  }
}

/** Creates a folder with its parents, or makes an existing one private: only its owner may list and enter it. */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if ((statSync(folder).mode & 0o077) === 0 || process.platform === "win32") return;
  try {
    chmodSync(folder, 0o700);
  } catch {
    // The folder belongs to another user, or its file system has no rights. The files in it are private.
  }
}
