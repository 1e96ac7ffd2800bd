import type { Readable } from "node:stream";
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  paginateListObjectsV2,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { env, requireEnv } from "../../contract/env.ts";
import type { FileStore, StoredContent } from "../../ports/file-store.ts";
import { s3 } from "../sdk/clients.ts";

const bucket = () => requireEnv(env.bucket);

/** Signing takes most of a millisecond, so the URL of an object that many jobs read is reused. */
const SHARED_S = 3600;
const SHARED_MOST = 500;
const shared = new Map<string, { url: string; untilMs: number }>();

/** The stack's bucket. Presigned URLs are computed without a request. */
export const storage = {
  async putObject(key: string, body: string | Uint8Array, contentType: string, contentDisposition?: string): Promise<void> {
    const disposition = contentDisposition ? { ContentDisposition: contentDisposition } : {};
    await s3().send(new PutObjectCommand({ Bucket: bucket(), Key: key, Body: body, ContentType: contentType, ...disposition }));
  },
  /** Reads an object. Returns `undefined` if there is none, and `tooLarge` above `mostBytes`. */
  async getObject(key: string, mostBytes: number): Promise<{ bytes: Buffer; contentType: string } | { tooLarge: true } | undefined> {
    try {
      const { Body, ContentLength = 0, ContentType } = await s3().send(new GetObjectCommand({ Bucket: bucket(), Key: key }));
      if (ContentLength > mostBytes) {
        // Destroying the body closes the connection without reading the rest.
        (Body as Partial<Readable> | undefined)?.destroy?.();
        return { tooLarge: true };
      }
      const bytes = Buffer.from((await Body?.transformToByteArray()) ?? []);
      return { bytes, contentType: ContentType ?? "application/octet-stream" };
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  },
  /** Opens an object, without reading its content yet. Returns `undefined` if there is none. Call either `read` or `discard`. */
  async openObject(key: string): Promise<StoredContent | undefined> {
    try {
      const { Body, ContentLength = 0, ETag = "" } = await s3().send(new GetObjectCommand({ Bucket: bucket(), Key: key }));
      return {
        bytes: ContentLength,
        etag: ETag,
        read: async () => Buffer.from((await Body?.transformToByteArray()) ?? []),
        discard: () => (Body as Partial<Readable> | undefined)?.destroy?.(),
      };
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  },
  async getObjectText(key: string): Promise<string> {
    const { Body } = await s3().send(new GetObjectCommand({ Bucket: bucket(), Key: key }));
    if (!Body) throw new Error(`The object ${key} is empty.`);
    return await Body.transformToString();
  },
  /** Returns the ETag of an object, which changes with its content and not with its name, or `undefined` if there is no object. */
  async getObjectEtag(key: string): Promise<string | undefined> {
    try {
      return (await s3().send(new HeadObjectCommand({ Bucket: bucket(), Key: key }))).ETag;
    } catch (error) {
      if (error instanceof NotFound) return undefined;
      throw error;
    }
  },
  /** Copies an object inside the bucket without downloading it. Throws `NoSuchKey`. */
  async copyObject(from: string, to: string): Promise<void> {
    const CopySource = `${bucket()}/${from.split("/").map(encodeURIComponent).join("/")}`;
    await s3().send(new CopyObjectCommand({ Bucket: bucket(), Key: to, CopySource }));
  },
  async deleteObject(key: string): Promise<void> {
    await s3().send(new DeleteObjectCommand({ Bucket: bucket(), Key: key }));
  },
  /** Returns whether there is an object with a prefix. */
  async hasObjects(prefix: string): Promise<boolean> {
    const { KeyCount = 0 } = await s3().send(new ListObjectsV2Command({ Bucket: bucket(), Prefix: prefix, MaxKeys: 1 }));
    return KeyCount > 0;
  },
  /** Lists the keys of all objects with a prefix. */
  async listObjectKeys(prefix: string): Promise<string[]> {
    const found: string[] = [];
    for await (const { Contents = [] } of paginateListObjectsV2({ client: s3() }, { Bucket: bucket(), Prefix: prefix }))
      found.push(...Contents.flatMap(({ Key }) => Key ?? []));
    return found;
  },
  /** Deletes all objects with a prefix. Returns true if none is left, and false if `inTime` returned false before. */
  async deletePrefix(prefix: string, inTime = () => true): Promise<boolean> {
    // A page has at most a thousand objects. Listed objects are deleted, so the next page is always the first one.
    for (let more = true; more; ) {
      const { Contents, IsTruncated } = await s3().send(new ListObjectsV2Command({ Bucket: bucket(), Prefix: prefix }));
      for (const { Key } of Contents ?? []) {
        if (Key) await this.deleteObject(Key);
        if (!inTime()) return false;
      }
      more = IsTruncated === true;
    }
    return true;
  },
  /** Returns a read URL. With `headers`, S3 answers with these instead of the stored ones. */
  createDownloadUrl(key: string, expiresInS: number, headers?: { contentType: string; contentDisposition: string }): Promise<string> {
    const response = headers && { ResponseContentType: headers.contentType, ResponseContentDisposition: headers.contentDisposition };
    return getSignedUrl(s3(), new GetObjectCommand({ Bucket: bucket(), Key: key, ...response }), { expiresIn: expiresInS });
  },
  /** Returns a read URL for an object that never changes. A URL of this process is reused if it is valid for `atLeastS` seconds. */
  async getSharedDownloadUrl(key: string, atLeastS: number): Promise<string> {
    const now = Date.now();
    const cached = shared.get(key);
    if (cached && cached.untilMs - now >= atLeastS * 1000) return cached.url;
    const expiresInS = atLeastS + SHARED_S;
    const url = await this.createDownloadUrl(key, expiresInS);
    if (shared.size >= SHARED_MOST) shared.clear();
    shared.set(key, { url, untilMs: now + expiresInS * 1000 });
    return url;
  },
  createUploadUrl: (key: string, expiresInS: number) =>
    getSignedUrl(s3(), new PutObjectCommand({ Bucket: bucket(), Key: key }), { expiresIn: expiresInS }),
} satisfies FileStore;
