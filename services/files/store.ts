import { randomUUID } from "node:crypto";
import type { Storage } from "../../aws/storage.ts";
import { filePlace } from "../../core/files/place.ts";
import type { FormFile } from "../../core/payload/multipart.ts";

/** A stored file as scripts get it. `s3` is its key in the workspace's storage. */
export interface StoredFile {
  s3: string;
  filename: string;
  content_type: string;
  size: number;
}

/** How many files of one form are sent to S3 at a time. */
const AT_ONCE = 8;

/** Stores the files of a form; answers a list of stored files for each argument, in the order sent (spec §4.2.5). */
export async function storeFiles(
  { storage }: { storage: Storage },
  workspace: string,
  files: FormFile[],
): Promise<Record<string, StoredFile[]>> {
  const stored: StoredFile[] = [];
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const some = files.slice(at, at + AT_ONCE).map(async ({ filename, contentType, bytes }): Promise<StoredFile> => {
      const s3 = `uploads/${randomUUID()}/${nameInKey(filename)}`;
      await storage.put(filePlace(workspace, s3), bytes, contentType);
      return { s3, filename, content_type: contentType, size: bytes.length };
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
