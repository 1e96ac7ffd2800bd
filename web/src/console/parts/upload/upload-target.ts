import { Refused } from "../../../shared/service.ts";
import { uploadText } from "../../messages/objects/upload.ts";

/** The size of a body that the API accepts. */
export const API_UPLOAD_BYTES = 4 * 1024 * 1024;
/** The size of a file that the service accepts in parts. */
export const UPLOAD_BYTES = 50 * 1024 ** 3;

/** Throws `Refused` if a file is too large for any storage. */
export function checkSize(fileBytes: number): void {
  if (fileBytes > UPLOAD_BYTES) throw new Refused(413, "page.fileTooLarge", uploadText.tooLarge);
}

/** Returns an address of the bucket, relative to the page, because its policy allows no request to another origin. */
export function toPageAddress(uploadUrl: string): string {
  const { pathname, search } = new URL(uploadUrl);
  return `${pathname}${search}`;
}

/**
 * Returns the address of an upload to the bucket. Undefined: the file is sent through the API. Throws `Refused` if it is too large for that.
 */
export function findUploadTarget(uploadUrl: string | undefined, fileBytes: number): string | undefined {
  if (uploadUrl !== undefined) return toPageAddress(uploadUrl);
  if (fileBytes > API_UPLOAD_BYTES) throw new Refused(413, "page.fileTooLarge", uploadText.tooLargeForApi);
  return undefined;
}

const SENTENCES: Readonly<Record<number, string>> = { 403: uploadText.expired, 404: uploadText.ended, 413: uploadText.tooLarge };

/** Describes a refusal of the bucket, whose reply is XML, in one sentence. */
export const toStorageRefusal = (status: number): Refused =>
  new Refused(status, "page.uploadRefused", SENTENCES[status] ?? uploadText.refused(status));
