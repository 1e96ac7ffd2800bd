import { toRequest } from "../../../../../contract/client/request.ts";
import { basePath } from "../../../shared/base-path.ts";
import { Refused } from "../../../shared/service.ts";
import { call, operations } from "../../data/api.ts";
import { findUploadTarget, toStorageRefusal } from "./upload-target.ts";

interface UploadOptions {
  /** Receives the part that was sent, from 0 to 1. `fetch` would not report it. */
  onProgress: (part: number) => void;
  signal: AbortSignal;
  /** The key and the storage of the file. Default: a new key in the default storage. */
  target?: { key: string; storage: string | undefined };
}

/** Stores a file in the workspace and returns its key: in the bucket itself where the deployment allows it, otherwise through the API. */
export async function upload(workspace: string, file: File, options: UploadOptions): Promise<string> {
  const extension = /\.([A-Za-z0-9]{1,20})$/.exec(file.name)?.[1];
  const { file_key: key, upload_url: uploadUrl } = await call.files.presignUpload({
    workspace,
    body: options.target ? { file_key: options.target.key, storage: options.target.storage } : { file_extension: extension },
    signal: options.signal,
  });
  const target = findUploadTarget(uploadUrl, file.size);
  if (target !== undefined) {
    const { status } = await sendFile({ method: "PUT", address: target, contentType: file.type || BYTES }, file, options);
    if (status !== 200) throw toStorageRefusal(status);
    return key;
  }
  const query = { file_key: key, content_type: file.type || undefined, storage: options.target?.storage };
  const { method, address } = toRequest(operations, "files.upload", { workspace, query });
  const { status, code, text } = await sendFile({ method, address: `${basePath}${address}`, contentType: BYTES }, file, options);
  if (status !== 200) throw new Refused(status, code, text);
  return key;
}

const BYTES = "application/octet-stream";

interface FileRequest {
  method: string;
  address: string;
  contentType: string;
}

function sendFile({ method, address, contentType }: FileRequest, file: File, { onProgress, signal }: UploadOptions) {
  return new Promise<{ status: number; code: string; text: string }>((resolve, reject) => {
    signal.throwIfAborted();
    const request = new XMLHttpRequest();
    request.open(method, address);
    request.setRequestHeader("content-type", contentType);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
    request.onload = () =>
      resolve({ status: request.status, code: request.getResponseHeader("x-svc-error") ?? "", text: request.responseText });
    request.onerror = () => reject(new Refused(0, "page.offline", "The service did not respond. Check your connection and try again."));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}
