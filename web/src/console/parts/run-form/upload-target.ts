import { Refused } from "../../../shared/service.ts";
import { formText } from "../../messages/form.ts";

/** The size of a body that the API accepts. */
export const API_UPLOAD_BYTES = 4 * 1024 * 1024;
/** The size of a file that S3 accepts in one request. */
export const UPLOAD_BYTES = 5 * 1024 ** 3;

/**
 * Returns the address of an upload to the bucket, relative to the page, because its policy allows no request to another origin. Undefined: the
 * file is sent through the API. Throws `Refused` if it is too large for that.
 */
export function findUploadTarget(uploadUrl: string | undefined, fileBytes: number): string | undefined {
  if (fileBytes > UPLOAD_BYTES) throw new Refused(413, "page.fileTooLarge", formText.tooLarge);
  if (uploadUrl !== undefined) {
    const { pathname, search } = new URL(uploadUrl);
    return `${pathname}${search}`;
  }
  if (fileBytes > API_UPLOAD_BYTES) throw new Refused(413, "page.fileTooLarge", formText.tooLargeForApi);
  return undefined;
}

/** Describes a refusal of the bucket, whose reply is XML, in one sentence. */
export function toStorageRefusal(status: number): Refused {
  const sentence = status === 403 ? formText.uploadExpired : status === 413 ? formText.tooLarge : formText.uploadRefused(status);
  return new Refused(status, "page.uploadRefused", sentence);
}

const UNITS = ["B", "KB", "MB", "GB"] as const;

/** Formats a size: `3.4 MB`. */
export function formatSize(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log(bytes) / Math.log(1024)));
  const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: power < 2 ? 0 : 1 }).format(bytes / 1024 ** power);
  return `${number} ${UNITS[power]}`;
}
