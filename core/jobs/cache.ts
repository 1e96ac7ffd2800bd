import { createHash } from "node:crypto";
import { findCanonicalJson } from "../../contract/json/canonical-json.ts";
import { type FileReference, parseFile } from "../files/file-key.ts";
import type { Job } from "./record/job.ts";

/** The stored files in a value, in the form `{"s3": key}` or `s3:///key`. */
export interface FileReferences {
  /** Files in the workspace's own storage, each once. */
  keys: string[];
  /** The value also refers to files in another storage. */
  elsewhere: boolean;
}

/** Finds the stored files in a value, at any depth. */
export function findFileReferences(value: unknown): FileReferences {
  const keys = new Set<string>();
  let elsewhere = false;
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    const file = fileOf(next);
    if (file && file.storage !== undefined && file.storage !== "_default_") elsewhere = true;
    else if (file) keys.add(file.fileKey);
    if (typeof next === "object" && next !== null) for (const inner of Object.values(next)) waiting.push(inner);
  }
  return { keys: [...keys], elsewhere };
}

/** Returns whether a value refers to stored files. */
export function containsFiles(value: unknown): boolean {
  const { keys, elsewhere } = findFileReferences(value);
  return elsewhere || keys.length > 0;
}

function fileOf(value: unknown): FileReference | undefined {
  if (typeof value === "string") return value.startsWith("s3://") ? parseFile(value, undefined) : undefined;
  if (typeof value !== "object" || value === null || !isFile(value)) return undefined;
  const { storage } = value as { storage?: unknown };
  return parseFile(value.s3, typeof storage === "string" && storage !== "" ? storage : undefined);
}

const isFile = (value: object): value is { s3: string } => "s3" in value && typeof value.s3 === "string";

/** The input of a run. */
export interface CacheInputs {
  /** The arguments as they were sent, with unresolved references. */
  args: unknown;
  /** Digest of the stored objects to which the references point. */
  references?: string | undefined;
  /** The ETags of the named files by key. */
  files?: ReadonlyMap<string, string | undefined>;
  /** Compare files only by their content, not by their keys. */
  ignorePaths?: boolean | undefined;
}

/**
 * The cache key of a result: the version, the identity of the run, and its whole input. A run on behalf of another user has the same identity for
 * all callers. Runs of different identities never share a result, because the identity determines what code may read. `undefined` for arguments
 * without a canonical form: the result of such a run is not cached.
 */
export function computeCacheKey(
  {
    workspace,
    hash,
    email,
    permissionedAs,
    superAdmin,
    preprocess,
  }: Pick<Job, "workspace" | "hash" | "email" | "permissionedAs" | "superAdmin" | "preprocess">,
  { args, references, files = new Map(), ignorePaths = false }: CacheInputs,
): string | undefined {
  const contents = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  // If paths are ignored, the content replaces each key. A file with unknown content still counts by its key.
  const inPlace = ignorePaths ? new Set<string>() : undefined;
  const keyArguments = inPlace ? withContents(args, files, inPlace) : args;
  const named = contents.filter(([key]) => !inPlace?.has(key));
  const all = [hash, email, permissionedAs, superAdmin, preprocess !== undefined, keyArguments, references, inPlace?.size, named];
  const text = findCanonicalJson(all);
  return text === undefined ? undefined : `cache#${workspace}#${createHash("sha256").update(text).digest("base64url")}`;
}

function withContents(value: unknown, files: NonNullable<CacheInputs["files"]>, replaced: Set<string>): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((inner) => withContents(inner, files, replaced));
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => {
    const content = key === "s3" && isFile(value) ? files.get(value.s3) : undefined;
    if (content === undefined || !isFile(value)) return [key, withContents(inner, files, replaced)];
    replaced.add(value.s3);
    return [key, [content]];
  });
  return Object.fromEntries(entries);
}
