/**
 * Computes for each position of `pattern` the length of its longest prefix that ends there (Knuth, Morris and Pratt). The time is linear in
 * the length of the pattern.
 */
export function computeBorders(pattern: string): Int32Array {
  const table = new Int32Array(pattern.length);
  for (let at = 1, length = 0; at < pattern.length; at += 1) {
    length = extendMatch(pattern, table, length, pattern[at]);
    table[at] = length;
  }
  return table;
}

/**
 * Returns the length of the longest prefix of `pattern` that ends with the next character of a text, after a prefix of `length` characters. No
 * character of the text is read again: after a mismatch, the prefix becomes its longest border.
 */
export function extendMatch(pattern: string, borders: Int32Array, length: number, character: string | undefined): number {
  let matched = length;
  while (matched > 0 && character !== pattern[matched]) matched = borders[matched - 1] ?? 0;
  return character === pattern[matched] ? matched + 1 : matched;
}
