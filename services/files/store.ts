import { randomUUID } from "node:crypto";
import pMap from "p-map";
import { SvcError } from "../../contract/errors.ts";
import { fileObjectKey, jobFileKey, storableContentType } from "../../core/files/file-key.ts";
import { STACK_STORAGE } from "../../core/files/storage-location.ts";
import type { DataOwner } from "../../core/jobs/record/retention.ts";
import type { FormFile } from "../../core/payload/multipart.ts";
import { escapeReferences } from "../../core/resources/references.ts";
import { loadFileStorage } from "../settings/file-storage.ts";
import type { Uses } from "../uses.ts";

/** A stored file in the form that scripts receive. `s3` is its key; `storage` is set if the key is not in the workspace's default storage. */
export interface StoredFile {
  s3: string;
  storage?: string;
  filename: string;
  content_type: string;
  size: number;
}

/** The stored files of a form: a list for each argument, in the order sent. */
export type StoredFiles = Record<string, StoredFile[]>;

/** The number of concurrent uploads to S3. */
const AT_ONCE = 8;

/**
 * Stores the files of a form that starts a job, and returns a list of stored files for each argument, in the order sent (spec §4.2.5). The
 * files are stored in the stack's bucket and removed with the job, because functions that accept requests have no keys to other buckets.
 * Throws `file.storageOff`.
 */
export async function storeFiles(
  { storage, objects }: Uses<"objects" | "storage">,
  job: DataOwner,
  files: FormFile[],
): Promise<StoredFiles> {
  const setting = await loadFileStorage(objects, job.workspace);
  if (setting?.type === "none") throw new SvcError("file.storageOff", {});
  const storageName = setting?.type === "S3Storage" ? { storage: STACK_STORAGE } : {};
  const storeOne = async ({ filename, contentType: clientContentType, bytes }: FormFile): Promise<StoredFile> => {
    const contentType = storableContentType(clientContentType);
    const s3 = jobFileKey(job, `${randomUUID()}/${toSafeName(filename)}`);
    await storage.putObject(fileObjectKey(job.workspace, s3), bytes, contentType);
    // The name becomes an argument only after the check of those that were sent as text.
    return { s3, ...storageName, filename: String(escapeReferences(filename)), content_type: contentType, size: bytes.length };
  };
  const stored = await pMap(files, storeOne, { concurrency: AT_ONCE });
  const byArgument = Map.groupBy(
    files.map((file, at) => [file.argument, stored[at] as StoredFile] as const),
    ([argument]) => argument,
  );
  return Object.fromEntries([...byArgument].map(([argument, list]) => [argument, list.map(([, file]) => file)]));
}

/** The length of a file name in a key, in characters. A cut within a surrogate pair would leave a name that no key can have. */
const NAME_CHARS = 100;

/** Returns the last part of a key: the given file name without characters that are unsafe in paths. */
function toSafeName(filename: string): string {
  const safe = filename.replace(/[^\p{L}\p{N}._-]+/gu, "_").replace(/^\.+/, "");
  return [...safe].slice(-NAME_CHARS).join("") || "file";
}
