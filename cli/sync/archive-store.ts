import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { strFromU8, unzipSync } from "fflate";
import { type ArchiveEntries, UNREADABLE } from "../../core/sync/archive.ts";
import type { ApiClient } from "../api/client.ts";
import { CommandError } from "../errors.ts";
import { writePrivateFile } from "../private-file.ts";
import { makeStateFolder, statePlace } from "./state.ts";

/** The folder of archives in `.svc`. */
const FOLDER = "archives";

type Query = Record<string, string | boolean>;

/** An archive that was downloaded earlier: a line of JSON and the bytes. */
interface StoredArchive {
  etag: string;
  bytes: Uint8Array;
}

/**
 * Returns the entries of a workspace's archive. The last archive is stored in `.svc`, so an unchanged one is not downloaded again. Archives with
 * plain-text secrets, or with the key of encrypted ones, are not stored.
 */
export async function loadArchive(client: ApiClient, root: string, query: Query): Promise<ArchiveEntries> {
  const isStorable = query["plain_secret"] !== true && query["include_key"] !== true;
  const stored = isStorable ? readStored(fileOf(client, root), query) : undefined;
  const storedEntries = stored && unzip(stored.bytes);
  // Without a readable local copy, the service must send the bytes.
  const headers = { "content-type": "application/octet-stream" };
  const { etag, bytes } = await client.download("workspaces.tarball", { query, headers, ifNoneMatch: storedEntries && stored.etag });
  if (bytes === undefined) return storedEntries ?? new Map();
  const entries = unzip(bytes);
  if (!entries) throw new CommandError(`The archive from ${client.options.url} is not a zip file: a proxy may have changed it. Try again.`);
  if (isStorable && etag !== undefined) writeStored(client, root, query, { etag, bytes });
  return entries;
}

/** Returns the entries of a zip file; `undefined` if the bytes are not a zip file. An unreadable entry does not affect the others. */
function unzip(bytes: Uint8Array): ArchiveEntries | undefined {
  const names = new Set<string>();
  const repeated = new Set<string>();
  const note = ({ name }: { name: string }): boolean => {
    (names.has(name) ? repeated : names).add(name);
    return false;
  };
  try {
    unzipSync(bytes, { filter: note });
  } catch {
    return undefined;
  }
  const contents = new Map(decompress(bytes, [...names]));
  const textOf = (name: string): string => {
    const content = contents.get(name);
    return content === undefined || repeated.has(name) ? UNREADABLE : strFromU8(content);
  };
  return new Map([...names].map((name) => [name, textOf(name)]));
}

/** Decompresses entries, without those that cannot be decompressed. */
function decompress(bytes: Uint8Array, names: readonly string[]): [string, Uint8Array][] {
  const selected = new Set(names);
  try {
    return Object.entries(unzipSync(bytes, { filter: ({ name }) => selected.has(name) }));
  } catch {
    // The error does not name the broken entry.
    if (names.length <= 1) return [];
    const half = Math.ceil(names.length / 2);
    return [names.slice(0, half), names.slice(half)].flatMap((part) => decompress(bytes, part));
  }
}

/** The file of the last archive of a workspace. */
function fileOf({ options: { url, workspace } }: ApiClient, root: string): string {
  const name = createHash("sha256").update(`${url} ${workspace}`).digest("hex").slice(0, 16);
  return statePlace(root, FOLDER, name);
}

function readStored(file: string, query: Query): StoredArchive | undefined {
  if (!existsSync(file)) return undefined;
  const content = readFileSync(file);
  const end = content.indexOf("\n");
  try {
    const { etag, query: asked } = JSON.parse(content.subarray(0, end).toString()) as { etag: string; query: Query };
    return JSON.stringify(asked) === JSON.stringify(query) ? { etag, bytes: content.subarray(end + 1) } : undefined;
  } catch {
    // A file of another version of the program is replaced by the next download.
    return undefined;
  }
}

function writeStored(client: ApiClient, root: string, query: Query, { etag, bytes }: StoredArchive): void {
  const content = Buffer.concat([Buffer.from(`${JSON.stringify({ etag, query })}\n`), bytes]);
  try {
    makeStateFolder(root, FOLDER);
    writePrivateFile(fileOf(client, root), content);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    // A read-only checkout, for example in CI, can still be compared.
  }
}
