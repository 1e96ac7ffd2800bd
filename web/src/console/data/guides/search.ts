const MIN_WORD = 3;

/**
 * Returns the numbers of the sections that contain words with each of these beginnings, in their order. `words` has a line for each word: the word, and
 * its sections as distances in base 36. Words of less than three characters find nothing.
 */
export function findSections(words: string, text: string): number[] {
  const beginnings = (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).filter(({ length }) => length >= MIN_WORD);
  if (beginnings.length === 0) return [];
  const lines = words.split("\n");
  const [first = new Set<number>(), ...others] = beginnings.map(
    (beginning) => new Set(lines.filter((line) => line.startsWith(beginning)).flatMap(listSections)),
  );
  return [...first].filter((section) => others.every((found) => found.has(section))).sort((a, b) => a - b);
}

function listSections(line: string): number[] {
  let section = 0;
  return line
    .split(" ")
    .slice(1)
    .map((distance) => {
      section += Number.parseInt(distance, 36);
      return section;
    });
}
