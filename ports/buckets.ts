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
