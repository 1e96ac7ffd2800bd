import { ApiError, answerOf, type Content, call } from "./connection.ts";

/** A request cannot carry more; larger files go to the storage itself. */
const LARGEST_BODY = 4 * 1024 * 1024;

/** A file in the workspace's object storage, as arguments and results name it. */
export interface S3Object {
  /** The file's key. */
  s3: string;
  /** Which of the workspace's storages; its default one when absent. */
  storage?: string;
  filename?: string;
  presigned?: string;
}

/** A file, or its short form `s3://<storage>/<key>` (`s3:///<key>` in the default storage). */
export type S3ObjectLike = S3Object | string;

function asObject(file: S3ObjectLike): S3Object {
  if (typeof file !== "string") return file;
  const parts = /^s3:\/\/([^/]*)\/(.+)$/.exec(file);
  if (!parts) throw new TypeError(`"${file}" is not a file: write s3://<storage>/<key>, or s3:///<key>.`);
  const [, storage, s3 = ""] = parts;
  return storage ? { s3, storage } : { s3 };
}

function queryFor(file: S3ObjectLike, s3ResourcePath?: string): Record<string, string | undefined> {
  const { s3, storage } = asObject(file);
  return { file_key: s3, storage, s3_resource_path: s3ResourcePath?.replace(/^\$res:/, "") };
}

/**
 * The content of a file.
 *
 * @param s3ResourcePath resource of another storage than the workspace's own
 * @throws `ApiError` with status 404 when there is no such file
 */
export async function loadS3File(file: S3ObjectLike, s3ResourcePath?: string): Promise<Uint8Array> {
  return new Uint8Array(await (await loadS3FileStream(file, s3ResourcePath)).arrayBuffer());
}

/** A file as a `Blob`, which can be read as a stream (`blob.stream()`). Throws as `loadS3File`. */
export async function loadS3FileStream(file: S3ObjectLike, s3ResourcePath?: string): Promise<Blob> {
  return await (await call("GET", "job_helpers/download_s3_file", { query: queryFor(file, s3ResourcePath) })).blob();
}

/**
 * Writes a file and answers where it is.
 *
 * @param file where to; what is there is replaced. Without it the service chooses a key.
 * @param contentType what downloads say it is
 */
export async function writeS3File(
  file: S3ObjectLike | undefined,
  content: Content,
  s3ResourcePath?: string,
  contentType?: string,
  contentDisposition?: string,
): Promise<S3Object> {
  const target: Record<string, string | undefined> = file === undefined ? {} : queryFor(file, s3ResourcePath);
  const own = !target["storage"] && !s3ResourcePath;
  if (own && new Blob([content as Blob]).size > LARGEST_BODY)
    return await writeLargeFile(target["file_key"], content, contentType, contentDisposition);
  const response = await call("POST", "job_helpers/upload_s3_file", {
    query: {
      ...target,
      s3_resource_path: s3ResourcePath?.replace(/^\$res:/, ""),
      content_type: contentType,
      content_disposition: contentDisposition,
    },
    body: content,
    type: typeof content === "string" ? "text/plain" : "application/octet-stream",
  });
  const { file_key } = (await answerOf(response)) as { file_key: string };
  return { s3: file_key, ...(target["storage"] ? { storage: target["storage"] } : {}) };
}

async function writeLargeFile(
  key: string | undefined,
  content: Content,
  contentType?: string,
  contentDisposition?: string,
): Promise<S3Object> {
  const place = await call("POST", "job_helpers/presign_upload", { json: key ? { file_key: key } : {} });
  const { file_key, url } = (await answerOf(place)) as { file_key: string; url: string };
  const headers = {
    "content-type": contentType ?? "application/octet-stream",
    ...(contentDisposition && { "content-disposition": contentDisposition }),
  };
  const { ok, status } = await fetch(url, { method: "PUT", body: content as Blob, headers });
  if (!ok) throw new ApiError(status, "", `The file could not be stored: its storage answered ${status}.`);
  return { s3: file_key };
}

/** Deletes a file. */
export async function deleteS3File(file: S3ObjectLike, s3ResourcePath?: string): Promise<void> {
  await call("DELETE", "job_helpers/delete_s3_file", { query: queryFor(file, s3ResourcePath) });
}
