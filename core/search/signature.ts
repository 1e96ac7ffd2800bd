/** The characters of a signature, each of which contains six bits. */
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const BITS = 6;
const bitsOf = new Map([...ALPHABET].map((char, value) => [char, value]));

/** The shortest text that a signature can exclude. */
export const PART_CHARS = 3;
/** Length of a signature. Longer sources have more bits set, so that searches read some of them in vain. */
const MIN_CHARS = 8;
const MAX_CHARS = 8192;

/** Returns a text for comparisons that ignore case. */
export const fold = (text: string): string => text.toLowerCase();

/** Returns the hashes of all parts of three characters. */
function hashParts(text: string): Set<number> {
  const folded = fold(text);
  const hashes = new Set<number>();
  for (let at = 0; at + PART_CHARS <= folded.length; at += 1) {
    const first = Math.imul(folded.charCodeAt(at), 0x9e3779b1) ^ folded.charCodeAt(at + 1);
    const mixed = Math.imul(Math.imul(first, 0x85ebca6b) ^ folded.charCodeAt(at + 2), 0xc2b2ae35);
    hashes.add((mixed ^ (mixed >>> 15)) >>> 0);
  }
  return hashes;
}

/**
 * Returns a Bloom filter of the parts of a text, with three bits for each distinct part: about a quarter of its bits are set. The text cannot be
 * read from it.
 */
export function buildSignature(text: string): string {
  const hashes = hashParts(text);
  const length = Math.min(Math.max(Math.ceil(hashes.size / 2), MIN_CHARS), MAX_CHARS);
  const values = new Uint8Array(length);
  for (const hash of hashes) {
    const bit = hash % (length * BITS);
    const at = Math.floor(bit / BITS);
    values[at] = (values[at] ?? 0) | (1 << (bit % BITS));
  }
  return Array.from(values, (value) => ALPHABET[value]).join("");
}

/** Returns a test of signatures: false for a text that does not contain `phrase`, and true for most texts that do not contain it either. */
export function createSignatureTest(phrase: string): (signature: string) => boolean {
  const hashes = [...hashParts(phrase)];
  return (signature) =>
    hashes.every((hash) => {
      const bit = hash % (signature.length * BITS);
      return ((bitsOf.get(signature.charAt(Math.floor(bit / BITS))) ?? 0) & (1 << (bit % BITS))) !== 0;
    });
}
