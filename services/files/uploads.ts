import { randomUUID } from "node:crypto";
import { defined } from "../../contract/defined.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { UploadJson } from "../../contract/routes/stored/uploads.ts";
import { toIsoTime } from "../../contract/utilities/iso-time.ts";
import { choosePartBytes, countParts, listCompleteParts, listMissingParts, type Upload, uploadObject } from "../../core/files/upload.ts";
import { personKey } from "../../core/people/person.ts";
import type { Uses } from "../uses.ts";
import { addPageUrl, type FileCaller, type FileUpload, LINK_S, resolveWritableFile } from "./files.ts";
import type { StorageName } from "./storages.ts";

interface UploadRequest extends StorageName, Pick<FileUpload, "fileKey" | "extension" | "contentType"> {
  /** The size of the file. */
  bytes: number;
}

const keyOf = ({ actor, workspace }: FileCaller, id: string) => uploadObject.key(workspace, personKey(actor.email), id);

/** Begins an upload in parts. A process that dies leaves an upload without parts, which the bucket removes. Throws as `uploadFile` does. */
export async function startUpload(
  deps: Uses<"objects" | "buckets" | "dataKeys" | "nowMs">,
  caller: FileCaller,
  request: UploadRequest,
): Promise<UploadJson> {
  const { bytes, contentType, storage, s3_resource_path: s3ResourcePath } = request;
  const { open, fileKey, key } = await resolveWritableFile(
    deps,
    caller,
    { fileKey: request.fileKey, extension: request.extension },
    request,
  );
  const id = randomUUID();
  const upload: Upload = {
    id,
    fileKey: request.fileKey ?? fileKey,
    ...defined({ storage: storage ?? undefined, s3ResourcePath: s3ResourcePath ?? undefined }),
    bucketUpload: await open.bucket.startUpload(key, id, contentType),
    bytes,
    partBytes: choosePartBytes(bytes),
    expiresAtMs: deps.nowMs() + limits.uploadMs,
  };
  await deps.objects.put({ ...keyOf(caller, id), value: upload, expiresAtS: Math.ceil(upload.expiresAtMs / 1000) });
  return toJson(upload, fileKey, []);
}

const toJson = (upload: Upload, fileKey: string, stored: readonly number[]): UploadJson => ({
  id: upload.id,
  file_key: fileKey,
  size: upload.bytes,
  part_bytes: upload.partBytes,
  parts: countParts(upload),
  stored: [...stored],
  expires_at: toIsoTime(upload.expiresAtMs),
});

/** Opens the storage and the file of an upload. The caller must still be allowed to write the file. Throws as `uploadFile` does. */
const openFile = (
  deps: Uses<"objects" | "buckets" | "dataKeys" | "nowMs">,
  caller: FileCaller,
  { fileKey, storage, s3ResourcePath }: Upload,
) => resolveWritableFile(deps, caller, { fileKey }, defined({ storage, s3_resource_path: s3ResourcePath }));

/** Finds an upload of the caller. Throws `upload.notFound`, and as `uploadFile` does. */
async function findUpload(deps: Uses<"objects" | "buckets" | "dataKeys" | "nowMs">, caller: FileCaller, id: string) {
  const found = await deps.objects.get(keyOf(caller, id));
  const upload = found && uploadObject.parse(found);
  if (!upload || upload.expiresAtMs <= deps.nowMs()) throw new SvcError("upload.notFound", { id });
  return { upload, ...(await openFile(deps, caller, upload)) };
}

type FoundUpload = Awaited<ReturnType<typeof findUpload>>;

/** Whether the file is the one that this upload made. A later upload to the same key replaces it. */
const hasMadeFile = async ({ open, key, upload }: FoundUpload) => (await open.bucket.headObject(key))?.uploadId === upload.id;

/** Returns the state of an upload of the caller. All parts of a completed one are stored. Throws as `findUpload` does. */
export async function getUpload(
  deps: Uses<"objects" | "buckets" | "dataKeys" | "nowMs">,
  caller: FileCaller,
  id: string,
): Promise<UploadJson> {
  const found = await findUpload(deps, caller, id);
  const { upload, open, key, fileKey } = found;
  const parts = await open.bucket.listUploadParts(key, upload.bucketUpload);
  if (!parts && !(await hasMadeFile(found))) throw new SvcError("upload.notFound", { id });
  const stored = parts ? listCompleteParts(upload, parts).map(({ number }) => number) : listMissingParts(upload, []);
  return toJson(upload, fileKey, stored);
}

/** Returns the URLs for parts of an upload of the caller. Numbers beyond the last part are left out. Throws as `findUpload` does. */
export async function presignParts(
  deps: Uses<"objects" | "buckets" | "dataKeys" | "nowMs" | "uploadsUrl">,
  caller: FileCaller,
  id: string,
  numbers: readonly number[],
) {
  const { upload, open, key } = await findUpload(deps, caller, id);
  const needed = numbers.filter((number) => number <= countParts(upload));
  return Promise.all(
    needed.map(async (number) => {
      const url = await open.bucket.createPartUrl({ key, upload: upload.bucketUpload, number }, LINK_S);
      return { number, ...addPageUrl(deps, open, url) };
    }),
  );
}

/**
 * Makes the file of the parts, and returns its key. If the process died after that, a repeated call finds the file. Throws `upload.incomplete`, and as
 * `findUpload` does, also if another upload has replaced the file.
 */
export async function completeUpload(
  deps: Uses<"objects" | "buckets" | "dataKeys" | "nowMs">,
  caller: FileCaller,
  id: string,
): Promise<string> {
  const found = await findUpload(deps, caller, id);
  const { upload, open, key, fileKey } = found;
  // A part that is sent again between the list and the completion makes the bucket refuse the list.
  for (let attempts = 0; attempts < 2; attempts += 1) {
    const stored = await open.bucket.listUploadParts(key, upload.bucketUpload);
    if (!stored) break;
    const parts = listCompleteParts(upload, stored);
    const missing = listMissingParts(upload, parts);
    if (missing.length > 0) throw new SvcError("upload.incomplete", { id, missing: missing.slice(0, limits.uploadUrls) });
    if (await open.bucket.completeUpload(key, upload.bucketUpload, parts)) return fileKey;
  }
  if (await hasMadeFile(found)) return fileKey;
  throw new SvcError("upload.notFound", { id });
}

/** Ends an upload of the caller without a file. Idempotent. Throws as `uploadFile` does. */
export async function deleteUpload(
  deps: Uses<"objects" | "buckets" | "dataKeys" | "nowMs">,
  caller: FileCaller,
  id: string,
): Promise<void> {
  const found = await deps.objects.get(keyOf(caller, id));
  if (!found) return;
  const upload = uploadObject.parse(found);
  const { open, key } = await openFile(deps, caller, upload);
  await open.bucket.abortUpload(key, upload.bucketUpload);
  await deps.objects.deleteItem(keyOf(caller, id));
}
