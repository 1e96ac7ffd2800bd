const TIMEOUT_MS = 60_000;

/** Uploads with a presigned PUT in at most three attempts. Returns false if all failed. */
export async function upload(url: string, body: Uint8Array, type: string): Promise<boolean> {
  for (const pauseMs of [0, 200, 1000]) {
    if (pauseMs) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    try {
      const response = await fetch(url, {
        method: "PUT",
        headers: { "content-type": type },
        body: new Uint8Array(body.buffer, body.byteOffset, body.byteLength) as Uint8Array<ArrayBuffer>,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.body?.cancel();
      if (response.ok) return true;
      if (response.status < 500 && response.status !== 429) return false;
    } catch {
      // There was no connection; the loop tries again.
    }
  }
  return false;
}
