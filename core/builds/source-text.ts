/** Removes a byte order mark and unifies ends of lines, as editors of other systems write them. Interpreters and compilers ignore both, but bash does not. */
export function normalizeSource(source: string): string {
  return source.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
}
