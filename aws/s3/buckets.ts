import type { Readable } from "node:stream";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  NoSuchKey,
  NoSuchUpload,
  NotFound,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { env, requireEnv } from "../../contract/env.ts";
import { SvcError } from "../../contract/errors.ts";
import type { Bucket, Buckets, S3Location } from "../../ports/buckets.ts";
import { ForbiddenAddressError, guardedAgents, guardUrl } from "../http/egress.ts";
import { s3 } from "../sdk/clients.ts";

/** Describes a failure in an error sentence. Only the name of the service's error is used. */
function reasonOf(error: unknown): string {
  if (error instanceof ForbiddenAddressError) return "its address is inside the network, which is not allowed";
  const { name, code } = error as { name?: string; code?: string };
  return error instanceof S3ServiceException ? `its service returned ${name}` : `it cannot be reached (${code ?? name ?? "unknown"})`;
}

/** The metadata of a file that names the upload in parts that made it. */
const UPLOAD_METADATA = "svc-upload";

/** `failed` converts a failure of the service to the error that is thrown. */
function bucketAt(client: S3Client, Bucket: string, failed: (error: unknown) => unknown): Bucket {
  const attempt = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await call();
    } catch (error) {
      throw failed(error);
    }
  };
  const found = async <T>(call: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await call();
    } catch (error) {
      if (error instanceof NoSuchKey || error instanceof NotFound || error instanceof NoSuchUpload) return undefined;
      throw failed(error);
    }
  };
  return {
    putObject: (Key, Body, ContentType, ContentDisposition) =>
      attempt(async () => {
        const disposition = ContentDisposition ? { ContentDisposition } : {};
        await client.send(new PutObjectCommand({ Bucket, Key, Body, ContentType, ...disposition }));
      }),
    getObject: (Key, mostBytes, range) =>
      found(async () => {
        const part = range ? { Range: `bytes=${range.from}-${range.from + range.bytes - 1}` } : {};
        const { Body, ContentLength = 0, ContentType } = await client.send(new GetObjectCommand({ Bucket, Key, ...part }));
        if (ContentLength > mostBytes) {
          // Destroying the body closes the connection without reading the rest.
          (Body as Partial<Readable> | undefined)?.destroy?.();
          return { tooLarge: true } as const;
        }
        const bytes = Buffer.from((await Body?.transformToByteArray()) ?? []);
        return { bytes, contentType: ContentType ?? "application/octet-stream" };
      }),
    headObject: (Key) =>
      found(async () => {
        const { ContentLength = 0, ContentType, LastModified, Metadata } = await client.send(new HeadObjectCommand({ Bucket, Key }));
        const contentType = ContentType ?? "application/octet-stream";
        return { bytes: ContentLength, contentType, lastModifiedMs: LastModified?.getTime(), uploadId: Metadata?.[UPLOAD_METADATA] };
      }),
    listObjects: (Prefix, MaxKeys, after) =>
      attempt(async () => {
        const from = after === undefined ? {} : { StartAfter: after };
        const { Contents = [], IsTruncated } = await client.send(new ListObjectsV2Command({ Bucket, Prefix, MaxKeys, ...from }));
        const files = Contents.map(({ Key = "", Size = 0, LastModified }) => ({
          key: Key,
          bytes: Size,
          lastModifiedMs: LastModified?.getTime(),
        }));
        return { files, more: IsTruncated === true };
      }),
    copyObject: async (from, Key) => {
      const CopySource = [Bucket, ...from.split("/")].map(encodeURIComponent).join("/");
      return (await found(() => client.send(new CopyObjectCommand({ Bucket, Key, CopySource })))) !== undefined;
    },
    deleteObject: (Key) =>
      attempt(async () => {
        await client.send(new DeleteObjectCommand({ Bucket, Key }));
      }),
    createDownloadUrl: (Key, expiresIn) => getSignedUrl(client, new GetObjectCommand({ Bucket, Key }), { expiresIn }),
    createUploadUrl: (Key, expiresIn) => getSignedUrl(client, new PutObjectCommand({ Bucket, Key }), { expiresIn }),
    startUpload: (Key, id, ContentType) =>
      attempt(async () => {
        const Metadata = { [UPLOAD_METADATA]: id };
        const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key, ContentType, Metadata }));
        if (!UploadId) throw new Error("The storage began an upload without an id.");
        return UploadId;
      }),
    createPartUrl: ({ key: Key, upload: UploadId, number: PartNumber }, expiresIn) =>
      getSignedUrl(client, new UploadPartCommand({ Bucket, Key, UploadId, PartNumber }), { expiresIn }),
    // One page has 1,000 parts, which are the most.
    listUploadParts: (Key, UploadId) =>
      found(async () => {
        const { Parts = [] } = await client.send(new ListPartsCommand({ Bucket, Key, UploadId }));
        return Parts.map(({ PartNumber = 0, Size = 0, ETag = "" }) => ({ number: PartNumber, bytes: Size, etag: ETag }));
      }),
    completeUpload: async (Key, UploadId, parts) => {
      const Parts = parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag }));
      const request = new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } });
      const send = async () => {
        try {
          return await client.send(request);
        } catch (error) {
          // The bucket has another part of this number since the parts were listed.
          if (error instanceof S3ServiceException && error.name === "InvalidPart") return undefined;
          throw error;
        }
      };
      return (await found(send)) !== undefined;
    },
    abortUpload: async (Key, UploadId) => {
      await found(() => client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId })));
    },
  };
}

/** Returns the stack's own bucket. */
const ownBucket = (): Bucket => bucketAt(s3(), requireEnv(env.bucket), (error) => error);

/**
 * Returns a user's bucket at any service with the S3 API. It never uses the function's own rights. Error sentences contain `name`. Throws
 * `file.storageFailed` for an address that is not allowed.
 */
function foreignBucket(name: string, { bucket, region, endpoint, pathStyle, accessKey, secretKey }: S3Location): Bucket {
  const failed = (error: unknown) => new SvcError("file.storageFailed", { storage: name, reason: reasonOf(error) }, { cause: error });
  try {
    guardUrl(new URL(endpoint));
  } catch (error) {
    throw failed(error);
  }
  const client = new S3Client({
    region,
    endpoint,
    forcePathStyle: pathStyle,
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    maxAttempts: 2,
    // Other services support only the checksums that S3 always required.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: { ...guardedAgents, connectionTimeout: 5000, requestTimeout: 20_000 },
  });
  return bucketAt(client, bucket, failed);
}

export const buckets = { own: ownBucket, foreign: foreignBucket } satisfies Buckets;
