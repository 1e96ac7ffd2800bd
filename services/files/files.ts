import { randomUUID } from "node:crypto";
import type { Storage } from "../../aws/storage.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { filePlace } from "../../core/files/place.ts";

interface Files {
  storage: Storage;
}

/** How long a presigned URL to a file works. */
const LINK_S = 3600;

export interface Upload {
  fileKey?: string | undefined;
  extension?: string | undefined;
  contentType?: string | undefined;
  contentDisposition?: string | undefined;
  bytes: Buffer;
}

/** A key that nobody has. */
const newKey = (extension = "") => `uploads/${randomUUID()}${extension && `.${extension.replace(/^\./, "")}`}`;

/** Stores a file, over one that has the key; answers the key. Throws `file.key`. */
export async function uploadFile({ storage }: Files, workspace: string, upload: Upload): Promise<string> {
  const fileKey = upload.fileKey ?? newKey(upload.extension);
  const contentType = upload.contentType ?? "application/octet-stream";
  await storage.put(filePlace(workspace, fileKey), upload.bytes, contentType, upload.contentDisposition);
  return fileKey;
}

/** Where a file of any size can be PUT. Throws `file.key`. */
export async function presignUpload({ storage }: Files, workspace: string, fileKey = newKey()) {
  return { file_key: fileKey, url: await storage.writeUrl(filePlace(workspace, fileKey), LINK_S), expires_in_s: LINK_S };
}

/** A file's bytes, or a URL where they do not fit a reply. Throws `file.key` and `file.notFound`. */
export async function downloadFile(
  { storage }: Files,
  workspace: string,
  fileKey: string,
): Promise<{ bytes: Buffer; contentType: string } | { url: string }> {
  const place = filePlace(workspace, fileKey);
  const found = await storage.getBytes(place, limits.syncReplyBytes);
  if (!found) throw new SvcError("file.notFound", { fileKey });
  return "tooLarge" in found ? { url: await storage.readUrl(place, LINK_S) } : found;
}

/** Throws `file.key`. */
export async function deleteFile({ storage }: Files, workspace: string, fileKey: string): Promise<void> {
  await storage.remove(filePlace(workspace, fileKey));
}
