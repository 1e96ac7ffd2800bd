import { toRequest } from "../../../../../contract/client/request.ts";
import { basePath } from "../../../shared/base-path.ts";
import { Refused } from "../../../shared/service.ts";
import { operations } from "../../data/api.ts";

/** The size of a body that the service accepts. A larger file has to be sent to another origin, which the page's policy forbids. */
export const UPLOAD_BYTES = 4 * 1024 * 1024;

/** Stores a file and returns its key. `onProgress` receives the sent part, from 0 to 1. `fetch` would not report it. */
export function upload(workspace: string, file: File, onProgress: (part: number) => void, signal: AbortSignal): Promise<string> {
  const extension = /\.([A-Za-z0-9]{1,20})$/.exec(file.name)?.[1];
  const query = { file_extension: extension, content_type: file.type || undefined };
  const { method, address } = toRequest(operations, "files.upload", { workspace, query });
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, `${basePath}${address}`);
    request.setRequestHeader("content-type", "application/octet-stream");
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
    request.onload = () => {
      const { status, responseText } = request;
      if (status === 200) resolve((JSON.parse(responseText) as { file_key: string }).file_key);
      else reject(new Refused(status, request.getResponseHeader("x-svc-error") ?? "", responseText));
    };
    request.onerror = () => reject(new Refused(0, "page.offline", "The service did not respond. Check your connection and try again."));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}
