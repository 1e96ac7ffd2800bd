import { ApiError, answerOf, type Content, call, jobVariable, workspaceUrl } from "./connection.ts";

/** The maximum size of a request body; larger files are sent directly to the storage. */
const LARGEST_BODY = 4 * 1024 * 1024;

/** A reference to a file in the workspace's object storage, as in arguments and results. */
export interface S3Object {
  /** The file's key. */
  s3: string;
  /** A storage of the workspace. Default: the default storage. */
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
 * Returns the content of a file.
 *
 * @param s3ResourcePath resource of a storage other than the workspace's own
 * @throws `ApiError` with status 404 if the file does not exist
 */
export async function loadS3File(file: S3ObjectLike, s3ResourcePath?: string): Promise<Uint8Array> {
  return new Uint8Array(await (await loadS3FileStream(file, s3ResourcePath)).arrayBuffer());
}

/** Returns a file as a `Blob`, which can be read as a stream (`blob.stream()`). Throws like `loadS3File`. */
export async function loadS3FileStream(file: S3ObjectLike, s3ResourcePath?: string): Promise<Blob> {
  return await (await call("GET", "job_helpers/download_s3_file", { query: queryFor(file, s3ResourcePath) })).blob();
}

/**
 * Writes a file and returns its location.
 *
 * @param file the location; an existing file is replaced. Without it, the service chooses a key.
 * @param contentType content type of downloads
 */
export async function writeS3File(
  file: S3ObjectLike | undefined,
  content: Content,
  s3ResourcePath?: string,
  contentType?: string,
  contentDisposition?: string,
): Promise<S3Object> {
  const target: Record<string, string | undefined> = file === undefined ? {} : queryFor(file, s3ResourcePath);
  if (s3ResourcePath) target["s3_resource_path"] = s3ResourcePath.replace(/^\$res:/, "");
  const { storage } = target;
  if (new Blob([content as Blob]).size > LARGEST_BODY) {
    return { s3: await writeLargeFile(target, content, contentType, contentDisposition), ...(storage ? { storage } : {}) };
  }
  const response = await call("POST", "job_helpers/upload_s3_file", {
    query: {
      ...target,
      content_type: contentType,
      content_disposition: contentDisposition,
    },
    body: content,
    type: typeof content === "string" ? "text/plain" : "application/octet-stream",
  });
  const { file_key } = (await answerOf(response)) as { file_key: string };
  return { s3: file_key, ...(storage ? { storage } : {}) };
}

async function writeLargeFile(
  target: Record<string, string | undefined>,
  content: Content,
  contentType?: string,
  contentDisposition?: string,
): Promise<string> {
  const place = await call("POST", "job_helpers/presign_upload", { json: target });
  const { file_key, url } = (await answerOf(place)) as { file_key: string; url: string };
  const headers = {
    "content-type": contentType ?? "application/octet-stream",
    ...(contentDisposition && { "content-disposition": contentDisposition }),
  };
  const { ok, status } = await fetch(url, { method: "PUT", body: content as Blob, headers });
  if (!ok) throw new ApiError(status, "", `The file could not be stored: its storage answered ${status}.`);
  return file_key;
}

/** Deletes a file. */
export async function deleteS3File(file: S3ObjectLike, s3ResourcePath?: string): Promise<void> {
  await call("DELETE", "job_helpers/delete_s3_file", { query: queryFor(file, s3ResourcePath) });
}

/** Adds `presigned` to files, which makes them readable without a token for a day. */
export async function signS3Objects(files: S3ObjectLike[]): Promise<S3Object[]> {
  return (await answerOf(await call("POST", "apps/sign_s3_objects", { json: { s3_objects: files.map(asObject) } }))) as S3Object[];
}

/** Signs one file, as `signS3Objects` does. */
export async function signS3Object(file: S3ObjectLike): Promise<S3Object> {
  return (await signS3Objects([file]))[0] as S3Object;
}

/**
 * Returns URLs that serve files without a token. Each is valid for a day or, if its file has `presigned`, as long as that.
 *
 * @param options.baseUrl the service's public origin, default: `WM_BASE_URL`
 */
export async function getPresignedS3PublicUrls(files: S3ObjectLike[], options: { baseUrl?: string } = {}): Promise<string[]> {
  const given = files.map(asObject);
  const unsigned = given.filter(({ presigned }) => !presigned);
  const signed = unsigned.length > 0 ? await signS3Objects(unsigned) : [];
  const base = workspaceUrl(options.baseUrl || jobVariable("BASE_URL"));
  return given.map((file) => {
    const { s3, storage, presigned } = file.presigned ? file : (signed.shift() as S3Object);
    return `${base}/s3_proxy/${storage || "_default_"}/${s3.split("/").map(encodeURIComponent).join("/")}?${presigned}`;
  });
}

/** Returns the URL of one file, as `getPresignedS3PublicUrls` does. */
export async function getPresignedS3PublicUrl(file: S3ObjectLike, options?: { baseUrl?: string }): Promise<string> {
  return (await getPresignedS3PublicUrls([file], options))[0] as string;
}

/** The settings with which an S3 client accesses a bucket. */
export interface S3ClientSettings {
  bucket: string;
  region: string;
  endPoint: string;
  port?: number;
  useSSL: boolean;
  accessKey: string;
  secretKey: string;
  pathStyle: boolean;
}

/** Returns the settings of an S3 client for the workspace's storage or for the bucket of a resource. The service's own bucket has no access keys. */
export async function denoS3LightClientSettings(s3ResourcePath?: string): Promise<S3ClientSettings> {
  const json = s3ResourcePath ? { s3_resource_path: s3ResourcePath.replace(/^\$res:/, "") } : {};
  return (await answerOf(await call("POST", "job_helpers/v2/s3_resource_info", { json }))) as S3ClientSettings;
}
