import { randomUUID } from "node:crypto";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import type { Storage } from "../../aws/s3/storage.ts";
import { SvcError } from "../../contract/errors.ts";
import { fileObjectKey, jobFileKey } from "../../core/files/file-key.ts";
import { STACK_STORAGE } from "../../core/files/storage-location.ts";
import type { FormFile } from "../../core/payload/multipart.ts";
import { loadFileStorage } from "../settings/file-storage.ts";

/** A stored file as scripts get it. `s3` is its key, `storage` is named where the key would be looked for elsewhere without it. */
export interface StoredFile {
  s3: string;
  storage?: string;
  filename: string;
  content_type: string;
  size: number;
}

/** How many files of one form are sent to S3 at a time. */
const AT_ONCE = 8;

/**
 * Stores the files of a form that starts a job; answers a list of stored files for each argument, in the order sent (spec §4.2.5). They lie
 * with the job in the stack's bucket, and go with it: who takes requests holds no key to any other. Throws `file.storageOff`.
 */
export async function storeFiles(
  { storage, objects }: { storage: Storage; objects: Pick<ObjectTable, "get"> },
  workspace: string,
  job: string,
  files: FormFile[],
): Promise<Record<string, StoredFile[]>> {
  const setting = await loadFileStorage(objects, workspace);
  if (setting?.type === "none") throw new SvcError("file.storageOff", {});
  const named = setting?.type === "S3Storage" ? { storage: STACK_STORAGE } : {};
  const stored: StoredFile[] = [];
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const some = files.slice(at, at + AT_ONCE).map(async ({ filename, contentType, bytes }): Promise<StoredFile> => {
      const s3 = jobFileKey(job, `${randomUUID()}/${nameInKey(filename)}`);
      await storage.put(fileObjectKey(workspace, s3), bytes, contentType);
      return { s3, ...named, filename, content_type: contentType, size: bytes.length };
    });
    stored.push(...(await Promise.all(some)));
  }
  const byArgument = Map.groupBy(
    files.map((file, at) => [file.argument, stored[at] as StoredFile] as const),
    ([argument]) => argument,
  );
  return Object.fromEntries([...byArgument].map(([argument, list]) => [argument, list.map(([, file]) => file)]));
}

/** The end of a key: the name that was sent, as far as it is harmless everywhere. */
function nameInKey(filename: string): string {
  return (
    filename
      .replace(/[^\p{L}\p{N}._-]+/gu, "_")
      .replace(/^\.+/, "")
      .slice(-100) || "file"
  );
}
