/** A page of the service: files in the order of their keys. */
interface FilePage {
  files: { s3: string; size_in_bytes: number; last_modified?: string | undefined }[];
  next_marker?: string | undefined;
}

export interface StoredEntry {
  key: string;
  bytes: number;
  modified: string | undefined;
}

/** A part of a folder: its folders and files, and where the next part begins. */
export interface FolderPart {
  folders: string[];
  files: StoredEntry[];
  next: string | undefined;
}

interface FolderRequest {
  /** The key of the folder, with a slash at its end, or an empty text. */
  folder: string;
  /** The beginning of the names. */
  search: string;
  /** The key after which the part begins. */
  after: string | undefined;
}

/** Entries after which a part ends. */
const ENTRIES = 100;
/** Requests after which a part ends, although it has fewer entries: those of others are left out. */
const MOST_REQUESTS = 20;
/** The last character, which no key has. */
const LAST = "\u{10ffff}";

/**
 * Reads a part of a folder. The service lists all keys below a prefix, so after a folder has been found, the next request begins behind its last
 * key: a folder of a million files costs one request.
 */
export async function readFolder(
  { folder, search, after }: FolderRequest,
  list: (prefix: string, marker: string | undefined) => Promise<FilePage>,
): Promise<FolderPart> {
  const folders = new Set<string>();
  const files: StoredEntry[] = [];
  let marker = after;
  for (let requests = 0; requests < MOST_REQUESTS && folders.size + files.length < ENTRIES; requests += 1) {
    const page = await list(folder + search, marker);
    for (const { s3, size_in_bytes, last_modified } of page.files) {
      const name = folderOf(folder, s3);
      if (name === undefined) files.push({ key: s3, bytes: size_in_bytes, modified: last_modified });
      else folders.add(name);
    }
    marker = page.next_marker;
    if (marker === undefined) break;
    const entered = folderOf(folder, marker);
    if (entered !== undefined && folders.has(entered)) marker = `${entered}${LAST}`;
  }
  return { folders: [...folders], files, next: marker };
}

/** Returns the folder of a key below another folder: `a/b/` for `a/b/c/d` below `a/`. Undefined: the key is directly below it. */
function folderOf(folder: string, key: string): string | undefined {
  const end = key.indexOf("/", folder.length);
  return end === -1 ? undefined : key.slice(0, end + 1);
}

/** Returns the folders that contain a folder, and it itself: `a/` and `a/b/` for `a/b/`. */
export const parentsOf = (folder: string): string[] =>
  folder
    .split("/")
    .slice(0, -1)
    .map((_, at, parts) => `${parts.slice(0, at + 1).join("/")}/`);

/** Returns a folder as the beginning of a key: without a slash at its beginning, with one at its end. */
export function toFolder(text: string): string {
  const folder = text.trim().replace(/^\/+|\/+$/g, "");
  return folder === "" ? "" : `${folder}/`;
}
