import { readGuideSections } from "./guides.ts";

/** A word in more of the sections finds nothing that a person looks for. */
const MAX_PART = 0.25;
const WORD = /[\p{L}\p{N}_]{3,}/gu;

/**
 * Returns the index of the texts of the guides: a line for each word, with the numbers of the sections that contain it. The numbers are written in base 36,
 * each as its distance from the one before. A section is a heading in the list of `guideEntries`, or the title of a guide.
 */
export function guideWords(root: string): string {
  const sections = readGuideSections(root);
  const places = new Map<string, number[]>();
  for (const [index, text] of sections.entries()) {
    for (const word of new Set(text.toLowerCase().match(WORD))) places.set(word, [...(places.get(word) ?? []), index]);
  }
  return [...places]
    .filter(([, found]) => found.length <= sections.length * MAX_PART)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([word, found]) => [word, ...found.map((index, at) => (index - (found[at - 1] ?? 0)).toString(36))].join(" "))
    .join("\n");
}
