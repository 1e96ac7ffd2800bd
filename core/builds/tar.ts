import { limits } from "../../contract/limits.ts";

/** A file of an archive. The path is relative, without `.` and `..`. */
export interface TarFile {
  path: string;
  bytes: Uint8Array;
}

/** The reason for which an archive is refused, as the end of a sentence. */
export class TarProblem extends Error {
  override readonly name = "TarProblem";
}

const BLOCK = 512;
const PATH_CHARS = 250;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads the files of an uncompressed tar archive. Archives come from untrusted callers, so everything except files and folders with plain paths
 * is refused: links, devices, paths that leave the folder, and duplicate paths. Throws `TarProblem`.
 */
export function readTar(archive: Uint8Array): TarFile[] {
  const files = new Map<string, Uint8Array>();
  let longPath: string | undefined;
  let entries = 0;
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const header = archive.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) break;
    checkSum(header);
    entries += 1;
    if (entries > limits.bundleFiles) throw new TarProblem(`it has more than ${limits.bundleFiles} entries`);
    const size = readNumber(header, 124, 12);
    const content = archive.subarray(at + BLOCK, at + BLOCK + size);
    if (content.length < size) throw new TarProblem("it ends in the middle of a file");
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === "x") longPath = readPaxPath(content) ?? longPath;
    else if (type === "L") longPath = readText(content, 0, content.length);
    // Attributes of the whole archive, such as a comment.
    else if (type === "g") continue;
    else {
      const path = toSafePath(longPath ?? readPath(header));
      longPath = undefined;
      if (type === "5" || path === "") continue;
      if (type !== "0" && type !== "\0") throw new TarProblem(`${path} is neither a file nor a folder`);
      if (files.has(path)) throw new TarProblem(`it contains ${path} twice`);
      files.set(path, content);
    }
  }
  for (const path of files.keys()) {
    for (let end = path.indexOf("/"); end > 0; end = path.indexOf("/", end + 1))
      if (files.has(path.slice(0, end))) throw new TarProblem(`${path.slice(0, end)} is both a file and a folder`);
  }
  return [...files].map(([path, bytes]) => ({ path, bytes }));
}

/** The sum of the header's bytes, in which the sum itself counts as spaces. Text that is not an archive fails here. */
function checkSum(header: Uint8Array): void {
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (sum !== readNumber(header, 148, 8)) throw new TarProblem("it is not a tar archive");
}

function readNumber(header: Uint8Array, from: number, length: number): number {
  const text = String.fromCharCode(...header.subarray(from, from + length)).replace(/^ +|[ \0]+$/g, "");
  if (!/^[0-7]{1,11}$/.test(text)) throw new TarProblem("it is not a tar archive");
  return Number.parseInt(text, 8);
}

function readText(bytes: Uint8Array, from: number, length: number): string {
  const field = bytes.subarray(from, from + length);
  const end = field.indexOf(0);
  try {
    return utf8.decode(end < 0 ? field : field.subarray(0, end));
  } catch {
    // The decoder's own message has no position.
    throw new TarProblem("a path is not valid UTF-8");
  }
}

function readPath(header: Uint8Array): string {
  const isPosix = readText(header.subarray(257, 262), 0, 5) === "ustar" && header[262] === 0;
  const prefix = isPosix ? readText(header, 345, 155) : "";
  return `${prefix}${prefix && "/"}${readText(header, 0, 100)}`;
}

/** Returns the path in the extended header of a file: lines `<length> <name>=<value>`. */
function readPaxPath(content: Uint8Array): string | undefined {
  let path: string | undefined;
  for (const line of readText(content, 0, content.length).split("\n")) {
    const [, name, value] = /^[0-9]{1,10} ([^=]{1,100})=(.*)$/.exec(line) ?? [];
    if (name === "size") throw new TarProblem("it contains a file of an unusual size");
    if (name === "path") path = value;
  }
  return path;
}

/** Returns a path without a leading `./` and a final slash. It is empty for the folder of the archive itself. */
function toSafePath(entryPath: string): string {
  const unsafe = () => new TarProblem(`${JSON.stringify(entryPath.slice(0, 100))} is not a plain path inside the archive`);
  if (entryPath.length > PATH_CHARS) throw unsafe();
  const path = entryPath.replace(/^(?:\.\/)+/, "").replace(/\/$/, "");
  if (path === "" || path === ".") return "";
  const parts = path.split("/");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern rejects control characters.
  const isUnsafe = (part: string) => part === "" || part === "." || part === ".." || /[\\\u0000-\u001f\u007f]/.test(part);
  if (/^[A-Za-z]:/.test(path) || parts.some(isUnsafe)) throw unsafe();
  return path;
}
