/** The maximum size of all files of a form. */
export interface FilesLimit {
  bytes: number;
  text: string;
}

/** With the third that base64 adds, the files must fit into the 256 KB of a decision. */
export const DECISION_FILES: FilesLimit = { bytes: 180 * 1024, text: "180 KB" };

/** Returns whether the values of a form are small enough to be sent. */
export const filesFit = (values: unknown, { bytes }: FilesLimit) =>
  new TextEncoder().encode(JSON.stringify(values ?? null)).length <= (bytes * 4) / 3 + 8192;

/** Undefined where a single file is already too large. */
export async function fileText(file: File, as: "data-url" | "base64", { bytes }: FilesLimit): Promise<string | undefined> {
  if (file.size > bytes) return undefined;
  const base64 = toBase64(new Uint8Array(await file.arrayBuffer()));
  return as === "base64"
    ? base64
    : `data:${file.type || "application/octet-stream"};name=${encodeURIComponent(file.name)};base64,${base64}`;
}

function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
