/** Removes every `character` from the end of a text. `/x+$/` would try each run of the character to its end again, in quadratic time. */
export function removeTrailing(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}
