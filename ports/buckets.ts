import type { StoredPart } from "../core/files/upload.ts";

/** The location of an external bucket and the access keys for it. */
export interface S3Location {
  bucket: string;
  region: string;
  /** The origin of the service. */
  endpoint: string;
  pathStyle: boolean;
  accessKey: string;
  secretKey: string;
}

export interface FileInfo {
  bytes: number;
  contentType: string;
  lastModifiedMs?: number | undefined;
  /** The upload in parts that made the file. */
  uploadId?: string | undefined;
}

export interface ListedFile {
  key: string;
  bytes: number;
  lastModifiedMs?: number | undefined;
}

/** A bucket of users' files. A user's bucket throws `file.storageFailed` if its service rejects a request. */
export interface Bucket {
  /** Replaces a file. */
  putObject(key: string, bytes: Uint8Array, contentType: string, contentDisposition?: string): Promise<void>;
  /** Reads a file, or the part in `range`. Returns `undefined` if there is no file, and `tooLarge` above `mostBytes`. */
  getObject(
    key: string,
    mostBytes: number,
    range?: { from: number; bytes: number },
  ): Promise<{ bytes: Buffer; contentType: string } | { tooLarge: true } | undefined>;
  headObject(key: string): Promise<FileInfo | undefined>;
  listObjects(prefix: string, most: number, after?: string): Promise<{ files: ListedFile[]; more: boolean }>;
  /** Copies a file. Returns false if there is none. */
  copyObject(from: string, to: string): Promise<boolean>;
  /** Deletes a file. A missing one is not an error. */
  deleteObject(key: string): Promise<void>;
  createDownloadUrl(key: string, expiresInS: number): Promise<string>;
  createUploadUrl(key: string, expiresInS: number): Promise<string>;
  /** Begins an upload in parts, and returns its id in the bucket. The file will contain the upload's own id. */
  startUpload(key: string, uploadId: string, contentType: string | undefined): Promise<string>;
  createPartUrl(part: { key: string; upload: string; number: number }, expiresInS: number): Promise<string>;
  /** Lists the parts that the bucket has received. Returns `undefined` if there is no such upload. */
  listUploadParts(key: string, upload: string): Promise<StoredPart[] | undefined>;
  /** Makes a file of the parts. Returns false if there is no such upload, or if a part was sent again since it was listed. */
  completeUpload(key: string, upload: string, parts: readonly StoredPart[]): Promise<boolean>;
  /** Removes an upload and its parts. A missing one is not an error. */
  abortUpload(key: string, upload: string): Promise<void>;
}

/** Opens buckets without a request. */
export interface Buckets {
  /** Returns the stack's own bucket. */
  own(): Bucket;
  /**
   * Returns a user's bucket at any service with the S3 API. It never uses the function's own rights. Error sentences contain `name`. Throws
   * `file.storageFailed` for an address that is not allowed.
   */
  foreign(name: string, location: S3Location): Bucket;
}
