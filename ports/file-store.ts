/** An object whose content is not read yet. */
export interface StoredContent {
  bytes: number;
  /** In quotation marks. */
  etag: string;
  read(): Promise<Buffer>;
  /** Closes the connection. */
  discard(): void;
}

/**
 * The bucket of the deployment, for values and artefacts that the service itself names. Writes replace, so a repeated call changes nothing if the
 * content follows from the key. Deletions of missing objects are no errors.
 */
export interface FileStore {
  /** Replaces an object. */
  putObject(key: string, body: string | Uint8Array, contentType: string, contentDisposition?: string): Promise<void>;
  /** Reads an object. Returns `undefined` if there is none, and `tooLarge` above `mostBytes`. */
  getObject(key: string, mostBytes: number): Promise<{ bytes: Buffer; contentType: string } | { tooLarge: true } | undefined>;
  /** Opens an object, without reading its content yet. Returns `undefined` if there is none. Call either `read` or `discard`. */
  openObject(key: string): Promise<StoredContent | undefined>;
  /** Reads an object as UTF-8. Throws `NoSuchKey`. */
  getObjectText(key: string): Promise<string>;
  /** Returns the ETag of an object, which changes with its content and not with its name, or `undefined` if there is no object. */
  getObjectEtag(key: string): Promise<string | undefined>;
  /** Copies an object inside the bucket without downloading it. Throws `NoSuchKey`. */
  copyObject(from: string, to: string): Promise<void>;
  deleteObject(key: string): Promise<void>;
  /** Returns whether there is an object with a prefix. */
  hasObjects(prefix: string): Promise<boolean>;
  /** Lists the keys of all objects with a prefix. */
  listObjectKeys(prefix: string): Promise<string[]>;
  /** Deletes all objects with a prefix. Returns true if none is left, and false if `inTime` returned false before. */
  deletePrefix(prefix: string, inTime?: () => boolean): Promise<boolean>;
  /** Returns a read URL, computed without a request. With `headers`, S3 answers with these instead of those that the object was stored with. */
  createDownloadUrl(key: string, expiresInS: number, headers?: { contentType: string; contentDisposition: string }): Promise<string>;
  /** Returns a read URL for an object that never changes. A URL of this process is reused if it is valid for `atLeastS` seconds. */
  getSharedDownloadUrl(key: string, atLeastS: number): Promise<string>;
  /** Returns a write URL, computed without a request. */
  createUploadUrl(key: string, expiresInS: number): Promise<string>;
}

/** The files that CDK uploads with an app. */
export interface Assets {
  readAsset(bucket: string, key: string): Promise<Uint8Array>;
}
