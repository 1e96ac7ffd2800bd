import { randomUUID } from "node:crypto";
import type { Action } from "../../contract/access/access-rule.ts";
import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { filePermissionTarget, findFileJob, parseFile, storableContentType } from "../../core/files/file-key.ts";
import { type Actor, toPermissionedAs } from "../../core/people/actor.ts";
import { may } from "../../core/permissions/may.ts";
import { permit, permitPath } from "../identity/permit.ts";
import { findJob } from "../jobs/read/read.ts";
import type { Uses } from "../uses.ts";
import { type OpenStorage, openStorage, type StorageName } from "./storages.ts";

/** The caller of a file operation. Each function here checks the caller's rights itself. */
export interface FileCaller {
  actor: Actor;
  action: Action;
  workspace: string;
}

/** The validity of a presigned URL to a file, in seconds. */
export const LINK_S = 3600;

export interface FileUpload extends StorageName {
  fileKey?: string | undefined;
  extension?: string | undefined;
  /** The content type that the caller names for the file. */
  contentType?: string | undefined;
  /** The content type of the request, which counts if it can be stored unchanged and the caller names none. */
  sentContentType?: string | undefined;
  contentDisposition?: string | undefined;
  bytes: Buffer;
}

function getContentType({ contentType, sentContentType: header }: FileUpload): string {
  return contentType ?? storableContentType(header ?? "");
}

/** Returns an unused key in a folder that only the caller may read. */
function newFileKey(actor: Actor, extension = ""): string {
  const owner = toPermissionedAs(actor);
  const folder = /^[uf]\//.test(owner) ? `${owner}/uploads` : "uploads";
  return `${folder}/${randomUUID()}${extension && `.${extension.replace(/^\./, "")}`}`;
}

/**
 * Returns the location of a file that the caller may read. Throws `file.*`, and `file.notFound` also for a file that the caller may not
 * read.
 */
export async function resolveReadableFile(
  deps: Uses<"jobs" | "objects" | "buckets" | "dataKeys" | "nowMs">,
  { actor, action, workspace }: FileCaller,
  requested: string,
  storageName: StorageName,
): Promise<{ open: OpenStorage; fileKey: string; key: string }> {
  const { fileKey, storage } = parseFile(requested, storageName.storage ?? undefined);
  const open = await openStorage(deps, actor, workspace, { ...storageName, storage });
  const key = open.place(fileKey);
  const notFound = () => new SvcError("file.notFound", { fileKey });
  if (open.where.kind === "stack") await permitStackFile(deps, { actor, action, workspace }, fileKey);
  // A caller who may read a resource has its keys, and thereby access to all files in its bucket.
  else if (open.where.kind !== "resource") permit(actor, action, filePermissionTarget(workspace, fileKey), notFound);
  return { open, fileKey, key };
}

/** Checks that the caller may read a file in the stack's bucket. Throws `file.notFound` if not. */
export async function permitStackFile({ jobs }: Uses<"jobs">, { actor, action, workspace }: FileCaller, fileKey: string): Promise<void> {
  const notFound = () => new SvcError("file.notFound", { fileKey });
  const job = findFileJob(fileKey);
  if (job === undefined) permit(actor, action, filePermissionTarget(workspace, fileKey), notFound);
  else await findJob({ jobs }, { actor, action }, { workspace, id: job }, notFound);
}

/** Returns the location of a file that the caller may write. The files of a job cannot be changed. Throws `file.*` and `path.noFolder`. */
export async function resolveWritableFile(
  deps: Uses<"objects" | "buckets" | "dataKeys" | "nowMs">,
  { actor, action, workspace }: FileCaller,
  { fileKey: requested, extension }: { fileKey: string | undefined; extension?: string | undefined },
  storageName: StorageName,
) {
  const { fileKey, storage } = parseFile(requested ?? newFileKey(actor, extension), storageName.storage ?? undefined);
  const open = await openStorage(deps, actor, workspace, { ...storageName, storage });
  const key = open.place(fileKey);
  if (open.where.kind === "stack" && findFileJob(fileKey)) throw new SvcError("file.ofJob", { fileKey });
  if (open.where.kind !== "resource") {
    const { path } = filePermissionTarget(workspace, fileKey);
    if (path === undefined) permit(actor, action, { workspace });
    else permitPath(actor, action, workspace, path);
  }
  return { open, fileKey, key };
}

/** Stores a file, replacing one with the same key, and returns the key. Throws `file.*` and `path.noFolder`. */
export async function uploadFile(
  deps: Uses<"objects" | "buckets" | "dataKeys" | "nowMs">,
  caller: FileCaller,
  upload: FileUpload,
): Promise<string> {
  const { open, fileKey, key } = await resolveWritableFile(deps, caller, { fileKey: upload.fileKey, extension: upload.extension }, upload);
  await open.bucket.putObject(key, upload.bytes, getContentType(upload), upload.contentDisposition);
  return fileKey;
}

/**
 * Returns a presigned URL for an upload of any size. `upload_url` is its address for pages, which send requests to their own origin only; a bucket of
 * the workspace has none. Throws `file.*` and `path.noFolder`.
 */
export async function presignUpload(
  deps: Uses<"objects" | "buckets" | "dataKeys" | "nowMs" | "uploadsUrl">,
  caller: FileCaller,
  { fileKey: requested, extension }: Pick<FileUpload, "fileKey" | "extension">,
  storageName: StorageName,
) {
  const { open, fileKey, key } = await resolveWritableFile(deps, caller, { fileKey: requested, extension }, storageName);
  const url = await open.bucket.createUploadUrl(key, LINK_S);
  return { file_key: fileKey, ...addPageUrl(deps, open, url), expires_in_s: LINK_S };
}

/** Returns a presigned URL with its address for pages, if the deployment has one for this storage. */
export function addPageUrl({ uploadsUrl }: Uses<"uploadsUrl">, { where }: OpenStorage, url: string): { url: string; upload_url?: string } {
  const { pathname, search } = new URL(url);
  return { url, ...(where.kind === "stack" && uploadsUrl ? { upload_url: `${uploadsUrl}${pathname}${search}` } : {}) };
}

export type FileDownload = { bytes: Buffer; contentType: string } | { url: string };

/** Returns a file's content, or a presigned URL if it is too large for a reply. Throws `file.*`. */
export async function downloadFile(
  deps: Uses<"jobs" | "objects" | "buckets" | "dataKeys" | "nowMs">,
  caller: FileCaller,
  requested: string,
  storageName: StorageName,
): Promise<FileDownload> {
  const { open, fileKey, key } = await resolveReadableFile(deps, caller, requested, storageName);
  return loadBytesOrUrl(open, key, fileKey, LINK_S);
}

/**
 * Returns a file's content, or a presigned URL that is valid for `linkS` seconds if it is too large for a reply. Throws `file.notFound`.
 */
export async function loadBytesOrUrl({ bucket }: OpenStorage, key: string, fileKey: string, linkS: number): Promise<FileDownload> {
  const found = await bucket.getObject(key, limits.syncReplyBytes);
  if (!found) throw new SvcError("file.notFound", { fileKey });
  return "tooLarge" in found ? { url: await bucket.createDownloadUrl(key, linkS) } : found;
}

/** Deletes a file. Idempotent. Throws `file.*`. */
export async function deleteFile(
  deps: Uses<"objects" | "buckets" | "dataKeys" | "nowMs">,
  caller: FileCaller,
  requested: string,
  storageName: StorageName,
): Promise<void> {
  const { open, key } = await resolveWritableFile(deps, caller, { fileKey: requested }, storageName);
  await open.bucket.deleteObject(key);
}

/** Moves a file. A file of a job is copied instead. Idempotent. Throws `file.*`. */
export async function moveFile(
  deps: Uses<"jobs" | "objects" | "buckets" | "dataKeys" | "nowMs">,
  caller: FileCaller,
  { from, to }: { from: string; to: string },
  storageName: StorageName,
): Promise<void> {
  const source = await resolveReadableFile(deps, { ...caller, action: actions.downloadFile }, from, storageName);
  const target = await resolveWritableFile(
    deps,
    caller,
    { fileKey: to },
    { ...storageName, storage: parseFile(from, storageName.storage ?? undefined).storage },
  );
  // The rights to a file apply in its own storage, but the copy would read the source's key in the bucket of the target.
  if (!isSameStorage(source.open, target.open)) throw new SvcError("file.otherStorage", { from, to });
  if (source.key === target.key) return;
  const ofJob = source.open.where.kind === "stack" && findFileJob(source.fileKey) !== undefined;
  if (!ofJob) await resolveWritableFile(deps, caller, { fileKey: from }, storageName);
  const copied = await target.open.bucket.copyObject(source.key, target.key);
  if (!copied) {
    if (await target.open.bucket.headObject(target.key)) return;
    throw new SvcError("file.notFound", { fileKey: source.fileKey });
  }
  if (!ofJob) await source.open.bucket.deleteObject(source.key);
}

/** Returns whether two storages are one bucket, opened with the same rights. */
const isSameStorage = ({ where: one }: OpenStorage, { where: other }: OpenStorage) => JSON.stringify(one) === JSON.stringify(other);

const lastModifiedField = (ms: number | undefined) => (ms === undefined ? {} : { last_modified: new Date(ms).toISOString() });

/** Returns a file's type, size and time. Throws `file.notFound`. */
export async function getFileMetadata(
  deps: Uses<"jobs" | "objects" | "buckets" | "dataKeys" | "nowMs">,
  caller: FileCaller,
  requested: string,
  storageName: StorageName,
) {
  const { open, fileKey, key } = await resolveReadableFile(deps, caller, requested, storageName);
  const info = await open.bucket.headObject(key);
  if (!info) throw new SvcError("file.notFound", { fileKey });
  return { mime_type: info.contentType, size_in_bytes: info.bytes, ...lastModifiedField(info.lastModifiedMs) };
}

/** Lists the files of a storage that the caller may read. Files of jobs are not listed: they are found through their jobs. */
export async function listFiles(
  deps: Uses<"objects" | "buckets" | "dataKeys" | "nowMs">,
  { actor, workspace }: FileCaller,
  storageName: StorageName & { prefix?: string | undefined; marker?: string | undefined; max_keys?: number | undefined },
) {
  const open = await openStorage(deps, actor, workspace, storageName);
  const { prefix = "", marker, max_keys = 100 } = storageName;
  const page = await open.bucket.listObjects(open.prefix + prefix, max_keys, marker === undefined ? undefined : open.prefix + marker);
  const found = page.files.map(({ key, bytes, lastModifiedMs }) => ({
    s3: key.slice(open.prefix.length),
    size_in_bytes: bytes,
    ...lastModifiedField(lastModifiedMs),
  }));
  const last = found.at(-1)?.s3;
  return {
    files: found.filter(
      ({ s3 }) => open.where.kind === "resource" || may(actor, actions.downloadFile.access, filePermissionTarget(workspace, s3)),
    ),
    ...(page.more && last !== undefined ? { next_marker: last } : {}),
  };
}

/** Returns a part of a text file. Throws `file.notFound`. */
export async function previewFile(
  deps: Uses<"jobs" | "objects" | "buckets" | "dataKeys" | "nowMs">,
  caller: FileCaller,
  requested: string,
  storageName: StorageName & { read_bytes_from?: number | undefined; read_bytes_length?: number | undefined },
): Promise<{ content?: string; content_type: "RawText" | "Csv" | "Unknown"; msg?: string }> {
  const { open, fileKey, key } = await resolveReadableFile(deps, caller, requested, storageName);
  const info = await open.bucket.headObject(key);
  if (!info) throw new SvcError("file.notFound", { fileKey });
  const { read_bytes_from: from = 0, read_bytes_length: bytes = limits.previewBytes } = storageName;
  // S3 rejects a range of an empty file or beyond its end.
  const part = from >= info.bytes ? { bytes: Buffer.alloc(0) } : await open.bucket.getObject(key, limits.previewBytes, { from, bytes });
  if (!part || "tooLarge" in part) throw new SvcError("file.notFound", { fileKey });
  if (part.bytes.includes(0)) return { content_type: "Unknown", msg: "The file is not text. Download it instead." };
  return { content: part.bytes.toString("utf8"), content_type: fileKey.endsWith(".csv") ? "Csv" : "RawText" };
}
