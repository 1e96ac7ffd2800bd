import { randomUUID } from "node:crypto";
import type { JobTable } from "../../aws/dynamodb/job-table.ts";
import type { Action } from "../../contract/access/access-rule.ts";
import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { filePermissionTarget, findFileJob, parseFile } from "../../core/files/file-key.ts";
import { type Actor, toPermissionedAs } from "../../core/people/actor.ts";
import { may } from "../../core/permissions/may.ts";
import { permit, permitPath } from "../identity/permit.ts";
import { findJob } from "../jobs/read/read.ts";
import { type OpenStorage, openStorage, type StorageDeps, type StorageName } from "./storages.ts";

export interface FilesDeps extends StorageDeps {
  jobs: JobTable;
}

/** Who does what, where: every function here decides itself whether they may. */
export interface FileCaller {
  actor: Actor;
  action: Action;
  workspace: string;
}

/** How long a presigned URL to a file works. */
const LINK_S = 3600;

export interface FileUpload extends StorageName {
  fileKey?: string | undefined;
  extension?: string | undefined;
  contentType?: string | undefined;
  contentDisposition?: string | undefined;
  bytes: Buffer;
}

/** A key that nobody has, where its writer alone sees it. */
function newKey(actor: Actor, extension = ""): string {
  const owner = toPermissionedAs(actor);
  const folder = /^[uf]\//.test(owner) ? `${owner}/uploads` : "uploads";
  return `${folder}/${randomUUID()}${extension && `.${extension.replace(/^\./, "")}`}`;
}

/** A file that the asker may read, and where it is. Throws `file.*`, and `file.notFound` for what is not theirs to know. */
export async function resolveReadableFile(
  files: FilesDeps,
  { actor, action, workspace }: FileCaller,
  asked: string,
  named: StorageName,
): Promise<{ open: OpenStorage; fileKey: string; key: string }> {
  const { fileKey, storage } = parseFile(asked, named.storage ?? undefined);
  const open = await openStorage(files, actor, workspace, { ...named, storage });
  const key = open.place(fileKey);
  const notFound = () => new SvcError("file.notFound", { fileKey });
  const job = open.where.kind === "stack" ? findFileJob(fileKey) : undefined;
  if (job !== undefined) await findJob(files, { actor, action }, workspace, job, notFound);
  // Who may read a resource has its keys, and with them all that is in its bucket.
  else if (open.where.kind !== "resource") permit(actor, action, filePermissionTarget(workspace, fileKey), notFound);
  return { open, fileKey, key };
}

/** The same for writing. A job's files are written with it and never after. Throws `file.*` and `path.noFolder`. */
async function resolveWritableFile(
  files: FilesDeps,
  { actor, action, workspace }: FileCaller,
  asked: string | undefined,
  named: StorageName,
  extension?: string,
) {
  const { fileKey, storage } = parseFile(asked ?? newKey(actor, extension), named.storage ?? undefined);
  const open = await openStorage(files, actor, workspace, { ...named, storage });
  const key = open.place(fileKey);
  if (open.where.kind === "stack" && findFileJob(fileKey)) throw new SvcError("file.ofJob", { fileKey });
  if (open.where.kind !== "resource") {
    const { path } = filePermissionTarget(workspace, fileKey);
    if (path === undefined) permit(actor, action, { workspace });
    else permitPath(actor, action, workspace, path);
  }
  return { open, fileKey, key };
}

/** Stores a file, over one that has the key; answers the key. */
export async function uploadFile(files: FilesDeps, asker: FileCaller, upload: FileUpload): Promise<string> {
  const { open, fileKey, key } = await resolveWritableFile(files, asker, upload.fileKey, upload, upload.extension);
  await open.bucket.put(key, upload.bytes, upload.contentType ?? "application/octet-stream", upload.contentDisposition);
  return fileKey;
}

/** Where a file of any size can be PUT. */
export async function presignUpload(files: FilesDeps, asker: FileCaller, asked: string | undefined, named: StorageName) {
  const { open, fileKey, key } = await resolveWritableFile(files, asker, asked, named);
  return { file_key: fileKey, url: await open.bucket.writeUrl(key, LINK_S), expires_in_s: LINK_S };
}

export type FileDownload = { bytes: Buffer; contentType: string } | { url: string };

/** A file's bytes, or a URL where they do not fit a reply. */
export async function downloadFile(files: FilesDeps, asker: FileCaller, asked: string, named: StorageName): Promise<FileDownload> {
  const { open, fileKey, key } = await resolveReadableFile(files, asker, asked, named);
  return loadBytesOrUrl(open, key, fileKey, LINK_S);
}

/** Throws `file.notFound`. */
export async function loadBytesOrUrl({ bucket }: OpenStorage, key: string, fileKey: string, linkS: number): Promise<FileDownload> {
  const found = await bucket.read(key, limits.syncReplyBytes);
  if (!found) throw new SvcError("file.notFound", { fileKey });
  return "tooLarge" in found ? { url: await bucket.readUrl(key, linkS) } : found;
}

export async function deleteFile(files: FilesDeps, asker: FileCaller, asked: string, named: StorageName): Promise<void> {
  const { open, key } = await resolveWritableFile(files, asker, asked, named);
  await open.bucket.remove(key);
}

/** A file of a job is copied and stays with its job. Doing it again finds the file moved already. */
export async function moveFile(files: FilesDeps, asker: FileCaller, from: string, to: string, named: StorageName): Promise<void> {
  const source = await resolveReadableFile(files, { ...asker, action: actions.downloadFile }, from, named);
  const target = await resolveWritableFile(files, asker, to, { ...named, storage: parseFile(from, named.storage ?? undefined).storage });
  if (source.key === target.key) return;
  const ofJob = source.open.where.kind === "stack" && findFileJob(source.fileKey) !== undefined;
  if (!ofJob) await resolveWritableFile(files, asker, from, named);
  const copied = await target.open.bucket.copy(source.key, target.key);
  if (!copied) {
    if (await target.open.bucket.info(target.key)) return;
    throw new SvcError("file.notFound", { fileKey: source.fileKey });
  }
  if (!ofJob) await source.open.bucket.remove(source.key);
}

const iso = (ms: number | undefined) => (ms === undefined ? {} : { last_modified: new Date(ms).toISOString() });

/** Throws `file.notFound`. */
export async function getFileMetadata(files: FilesDeps, asker: FileCaller, asked: string, named: StorageName) {
  const { open, fileKey, key } = await resolveReadableFile(files, asker, asked, named);
  const info = await open.bucket.info(key);
  if (!info) throw new SvcError("file.notFound", { fileKey });
  return { mime_type: info.contentType, size_in_bytes: info.bytes, ...iso(info.lastModifiedMs) };
}

/** The files that the asker may read; those of jobs are found through their jobs. */
export async function listFiles(
  files: FilesDeps,
  { actor, workspace }: FileCaller,
  named: StorageName & { prefix?: string | undefined; marker?: string | undefined; max_keys?: number | undefined },
) {
  const open = await openStorage(files, actor, workspace, named);
  const { prefix = "", marker, max_keys = 100 } = named;
  const page = await open.bucket.list(open.prefix + prefix, max_keys, marker === undefined ? undefined : open.prefix + marker);
  const found = page.files.map(({ key, bytes, lastModifiedMs }) => ({
    s3: key.slice(open.prefix.length),
    size_in_bytes: bytes,
    ...iso(lastModifiedMs),
  }));
  const last = found.at(-1)?.s3;
  return {
    files: found.filter(
      ({ s3 }) => open.where.kind === "resource" || may(actor, actions.downloadFile.access, filePermissionTarget(workspace, s3)),
    ),
    ...(page.more && last !== undefined ? { next_marker: last } : {}),
  };
}

/** A part of a file as text. */
export async function previewFile(
  files: FilesDeps,
  asker: FileCaller,
  asked: string,
  named: StorageName & { read_bytes_from?: number | undefined; read_bytes_length?: number | undefined },
): Promise<{ content?: string; content_type: "RawText" | "Csv" | "Unknown"; msg?: string }> {
  const { open, fileKey, key } = await resolveReadableFile(files, asker, asked, named);
  const info = await open.bucket.info(key);
  if (!info) throw new SvcError("file.notFound", { fileKey });
  const { read_bytes_from: from = 0, read_bytes_length: bytes = limits.previewBytes } = named;
  // S3 knows no part of nothing, nor one behind the end.
  const part = from >= info.bytes ? { bytes: Buffer.alloc(0) } : await open.bucket.read(key, limits.previewBytes, { from, bytes });
  if (!part || "tooLarge" in part) throw new SvcError("file.notFound", { fileKey });
  if (part.bytes.includes(0)) return { content_type: "Unknown", msg: "The file is not text. Download it instead." };
  return { content: part.bytes.toString("utf8"), content_type: fileKey.endsWith(".csv") ? "Csv" : "RawText" };
}
