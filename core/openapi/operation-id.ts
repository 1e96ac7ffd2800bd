import { createHash } from "node:crypto";

/**
 * Returns the identifier of an operation, or of a shape, in documents. It depends only on its own path, so that it does not change when others
 * are added or removed. The upper-case hash distinguishes paths such as `f/a/b-c` and `f/a/b_c`.
 */
export function buildOperationId(prefix: string, path: string): string {
  const readable = `${prefix}_${path.replaceAll(/[^A-Za-z0-9]+/g, "_")}`;
  if (/^[a-z0-9]+(\/[a-z0-9]+)*$/.test(path)) return readable;
  return `${readable}_${createHash("sha256").update(path).digest("hex").slice(0, 16).toUpperCase()}`;
}
