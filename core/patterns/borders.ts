/**
 * Computes for each position of `pattern` the length of its longest prefix that ends there (Knuth, Morris and Pratt). The time is linear in
 * the length of the pattern.
 */
export function computeBorders(pattern: string): Int32Array {
  const table = new Int32Array(pattern.length);
  for (let at = 1, length = 0; at < pattern.length; at += 1) {
    while (length > 0 && pattern[at] !== pattern[length]) length = table[length - 1] ?? 0;
    if (pattern[at] === pattern[length]) length += 1;
    table[at] = length;
  }
  return table;
}
