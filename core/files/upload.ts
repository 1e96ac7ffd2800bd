import * as z from "zod";
import { limits } from "../../contract/limits.ts";
import { defineObject, inWorkspace } from "../objects/define-object.ts";

const uploadSchema = z.object({
  id: z.string(),
  /** The file, as the caller named it. */
  fileKey: z.string(),
  storage: z.string().optional(),
  s3ResourcePath: z.string().optional(),
  /** The id of the upload in the bucket. It is never shown. */
  bucketUpload: z.string(),
  bytes: z.number(),
  partBytes: z.number(),
  expiresAtMs: z.number(),
});
/** A file that is uploaded in parts. Its object in the bucket appears when it is complete. */
export type Upload = z.infer<typeof uploadSchema>;

/** An upload in parts. Only the person who began it finds it. */
export const uploadObject = defineObject({
  name: "upload in parts",
  partition: "UPLOAD",
  ...inWorkspace,
  sort: (person: string, id: string) => `${person}#${id}`,
  schema: uploadSchema,
});

const MB = 1024 * 1024;
/** S3 accepts no smaller part, except for the last one. */
const SMALLEST_PART = 8 * MB;

/** Returns the size of the parts of a file: whole megabytes, so that there are at most `limits.uploadParts`. */
export const choosePartBytes = (bytes: number): number => Math.max(SMALLEST_PART, Math.ceil(bytes / limits.uploadParts / MB) * MB);

type Sizes = Pick<Upload, "bytes" | "partBytes">;

export const countParts = ({ bytes, partBytes }: Sizes): number => Math.max(1, Math.ceil(bytes / partBytes));

/** A part that the bucket has received. */
export interface StoredPart {
  number: number;
  bytes: number;
  etag: string;
}

/** Returns the parts that have the size that the upload requires. A part that was sent with another size is sent again. */
export function listCompleteParts(upload: Sizes, stored: readonly StoredPart[]): StoredPart[] {
  const count = countParts(upload);
  const sizeOf = (number: number) => (number < count ? upload.partBytes : upload.bytes - (count - 1) * upload.partBytes);
  return stored.filter(({ number, bytes }) => number <= count && bytes === sizeOf(number)).sort((a, b) => a.number - b.number);
}

/** Returns the numbers of the parts that are not in a list. */
export function listMissingParts(upload: Sizes, stored: readonly Pick<StoredPart, "number">[]): number[] {
  const numbers = new Set(stored.map(({ number }) => number));
  return Array.from({ length: countParts(upload) }, (_, index) => index + 1).filter((number) => !numbers.has(number));
}
