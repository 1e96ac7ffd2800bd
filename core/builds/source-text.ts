/**
 * Removes a byte order mark and unifies line endings, which editors of other systems write. Interpreters and compilers ignore both, but bash does
 * not.
 */
export function normalizeSource(source: string): string {
  return source.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
}
