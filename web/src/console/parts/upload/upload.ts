import { createClient } from "../../../../../contract/client/client.ts";
import { fileOperations, uploadOperations } from "../../../../../contract/client/operations/stored.ts";
import { toRequest } from "../../../../../contract/client/request.ts";
import { basePath } from "../../../shared/base-path.ts";
import { Refused, send } from "../../../shared/service.ts";
import { uploadText } from "../../messages/objects/upload.ts";
import { retry, waitOnline } from "./retry.ts";
import { sendFile } from "./send-file.ts";
import { sendParts } from "./send-parts.ts";
import {
  continues,
  forgetUnfinished,
  keepUnfinished,
  listUnfinished,
  type UnfinishedUpload,
  type Uploader,
  type UploadTarget,
} from "./unfinished.ts";
import { checkSize, findUploadTarget, toPageAddress, toStorageRefusal } from "./upload-target.ts";

const operations = { ...fileOperations, ...uploadOperations };
const { call } = createClient(operations, send);

interface UploadOptions {
  /** Receives the number of bytes that were sent. */
  onBytes: (bytes: number) => void;
  /** Receives the id of an upload in parts, which can be discarded. */
  onStart: (id: string) => void;
  signal: AbortSignal;
  /** Default: a new key in the default storage. */
  target?: UploadTarget | undefined;
}

/** Files up to this size are sent in one request. It is also the size of the smallest part. */
const MOST_AT_ONCE = 8 * 1024 * 1024;

/** Returns whether a file is uploaded in parts, and can be paused. */
export const isInParts = ({ size }: Pick<File, "size">): boolean => size > MOST_AT_ONCE;

/** Stores a file in the workspace and returns its key. The upload of a large file continues where an earlier one was interrupted. */
export async function upload(uploader: Uploader, file: File, options: UploadOptions): Promise<string> {
  checkSize(file.size);
  if (!isInParts(file)) return uploadAtOnce(uploader.workspace, file, options);
  const earlier = listUnfinished(uploader).filter((unfinished) => continues(unfinished, file, options.target));
  for (const unfinished of earlier) {
    const result = await lockUpload(unfinished.id, () => continueUpload(uploader, file, unfinished, options));
    if (result?.key !== undefined) return result.key;
    // Two uploads to one key would replace each other.
    if (!result && options.target) throw new Refused(409, "page.uploadElsewhere", uploadText.elsewhere);
  }
  const started = await startUpload(uploader, file, options);
  const result = await lockUpload(started.id, () => continueUpload(uploader, file, started, options));
  if (result?.key === undefined) throw toStorageRefusal(404);
  return result.key;
}

/** Removes an upload in parts. The service removes its parts within a day if it does not receive the request. */
export async function discardUpload(uploader: Uploader, id: string): Promise<void> {
  forgetUnfinished(uploader, id);
  await call.uploads.delete({ workspace: uploader.workspace, id });
}

/** Returns whether there is a file at a key. */
export async function fileExists(workspace: string, { key, storage }: UploadTarget, signal: AbortSignal): Promise<boolean> {
  try {
    await call.files.getMetadata({ workspace, query: { file_key: key, storage }, signal });
    return true;
  } catch (error) {
    if (error instanceof Refused && error.code === "file.notFound") return false;
    throw error;
  }
}

/** Does the work while no other page of this browser sends the same upload. Returns `undefined` if one does. */
async function lockUpload<T>(id: string, work: () => Promise<T>): Promise<T | undefined> {
  // Browsers have locks on secure origins only.
  if (!navigator.locks) return work();
  return navigator.locks.request(`svc.upload.${id}`, { ifAvailable: true }, (lock) => (lock ? work() : undefined));
}

async function startUpload(uploader: Uploader, file: File, { target, signal }: UploadOptions): Promise<UnfinishedUpload> {
  const location = target ? { file_key: target.key, storage: target.storage } : { file_extension: extensionOf(file) };
  const { id, expires_at: expiresAt } = await call.uploads.start({
    workspace: uploader.workspace,
    body: { ...location, size: file.size, content_type: file.type || BYTES },
    signal,
  });
  const { name, size, lastModified } = file;
  const started = { id, name, size, lastModified, storedBytes: 0, expiresAt, ...(target ? { target } : {}) };
  keepUnfinished(uploader, started);
  return started;
}

/** Sends the parts that are missing, and makes the file. Returns no key if the service does not have the upload any more. */
async function continueUpload(
  uploader: Uploader,
  file: File,
  unfinished: UnfinishedUpload,
  { onBytes, onStart, signal }: UploadOptions,
): Promise<{ key: string | undefined }> {
  const { id } = unfinished;
  const { workspace } = uploader;
  const repeated = { wait: waitOnline, signal };
  onStart(id);
  try {
    const state = await retry(() => call.uploads.get({ workspace, id, signal }), repeated);
    await sendParts(state, {
      ...repeated,
      onBytes,
      onStored: (storedBytes) => {
        // A canceled upload is forgotten already.
        if (!signal.aborted) keepUnfinished(uploader, { ...unfinished, storedBytes });
      },
      send: async ({ number, from, to }, options) => {
        // Each attempt gets a new address, so that none has expired.
        const [part] = await call.uploads.presignParts({ workspace, id, body: { numbers: [number] }, signal: options.signal });
        if (part?.upload_url === undefined) throw new Refused(413, "page.fileTooLarge", uploadText.tooLargeForApi);
        const request = { method: "PUT", address: toPageAddress(part.upload_url), contentType: BYTES };
        const { status } = await sendFile(request, file.slice(from, to), options);
        if (status !== 200) throw toStorageRefusal(status);
      },
    });
    const { file_key: key } = await retry(() => call.uploads.complete({ workspace, id, signal }), repeated);
    forgetUnfinished(uploader, id);
    return { key };
  } catch (error) {
    if (error instanceof Refused && error.code === "upload.notFound") {
      forgetUnfinished(uploader, id);
      return { key: undefined };
    }
    // The storage takes no parts from pages, so the upload can never be continued.
    if (error instanceof Refused && error.code === "page.fileTooLarge") await discardUpload(uploader, id).catch(() => undefined);
    throw error;
  }
}

const BYTES = "application/octet-stream";

const extensionOf = ({ name }: File): string | undefined => /\.([A-Za-z0-9]{1,20})$/.exec(name)?.[1];

/** Stores a file by one request: in the bucket itself where the deployment allows it, otherwise through the API. */
async function uploadAtOnce(workspace: string, file: File, { target, onBytes, signal }: UploadOptions): Promise<string> {
  const { file_key: key, upload_url: uploadUrl } = await call.files.presignUpload({
    workspace,
    body: target ? { file_key: target.key, storage: target.storage } : { file_extension: extensionOf(file) },
    signal,
  });
  const address = findUploadTarget(uploadUrl, file.size);
  if (address !== undefined) {
    const { status } = await sendFile({ method: "PUT", address, contentType: file.type || BYTES }, file, { onBytes, signal });
    if (status !== 200) throw toStorageRefusal(status);
    return key;
  }
  const query = { file_key: key, content_type: file.type || undefined, storage: target?.storage };
  const request = toRequest(operations, "files.upload", { workspace, query });
  const toApi = { method: request.method, address: `${basePath}${request.address}`, contentType: BYTES };
  const { status, code, text } = await sendFile(toApi, file, { onBytes, signal });
  if (status !== 200) throw new Refused(status, code, text);
  return key;
}
