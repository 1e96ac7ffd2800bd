import { SvcError } from "../../contract/errors.ts";

/** Where a workspace's file lies in the stack's bucket. Throws `file.key` for a key that names no place of its own in there. */
export function filePlace(workspace: string, fileKey: string): string {
  const parts = fileKey.split("/");
  const bad = fileKey.length === 0 || fileKey.length > 800 || parts.some((part) => part === "" || part === "." || part === "..");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no key holds them
  if (bad || /[\u0000-\u001f\u007f\\]/.test(fileKey)) throw new SvcError("file.key", { fileKey: fileKey.slice(0, 100) });
  return `files/${workspace}/${fileKey}`;
}
