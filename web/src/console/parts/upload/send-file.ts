import { Refused } from "../../../shared/service.ts";

interface FileRequest {
  method: string;
  address: string;
  contentType: string;
}

interface SendOptions {
  /** Receives the number of bytes that were sent. `fetch` would not report it. */
  onBytes: (bytes: number) => void;
  signal: AbortSignal;
}

/** A connection that takes nothing for so long is lost. */
const STALLED_MS = 60_000;

/** Sends a file or a part of it. Throws `Refused` without a reply, or the reason of the signal. */
export function sendFile({ method, address, contentType }: FileRequest, content: Blob, { onBytes, signal }: SendOptions) {
  return new Promise<{ status: number; code: string; text: string }>((resolve, reject) => {
    signal.throwIfAborted();
    const request = new XMLHttpRequest();
    const lost = () => reject(new Refused(0, "page.offline", "The service did not respond. Check your connection and try again."));
    let timer: ReturnType<typeof setTimeout>;
    const restart = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        lost();
        request.abort();
      }, STALLED_MS);
    };
    const abort = () => request.abort();
    request.open(method, address);
    request.setRequestHeader("content-type", contentType);
    request.upload.onprogress = ({ loaded }) => {
      restart();
      onBytes(loaded);
    };
    request.onload = () =>
      resolve({ status: request.status, code: request.getResponseHeader("x-svc-error") ?? "", text: request.responseText });
    request.onerror = lost;
    request.onabort = () => reject(signal.reason);
    request.onloadend = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    };
    signal.addEventListener("abort", abort);
    restart();
    request.send(content);
  });
}
