/** The texts for the places at which a text is no Go or Bash. */
export const syntaxText = {
  python: "Python does not accept this, or a part before it is not complete.",
  notClosed: (opening: string) => `${opening} is not closed.`,
  closesNothing: (word: string) => `${word} closes nothing.`,
  closesOther: (word: string, opening: string, line: number) => `${word} does not close ${opening} of line ${line}.`,
  lineEnd: "the end of the line",
  textEnd: "the end of the text",
  notHere: (word: string) => `Go does not expect ${word} here.`,
  missing: (word: string, before: string) => `${word} is missing before ${before}.`,
  caseOnly: (word: string) => `${word} separates the patterns of case, and there is none here.`,
  noBracket: "A bracket is not possible here. A text with brackets needs quotes.",
  noEndOfDocument: (line: string) => `The here-document has no line ${line}. Bash reads it to the end of the script.`,
  invalidCharacter: (character: string) => `Go has no character ${character} outside of texts and comments.`,
  rune: "Single quotes contain one character. A text is in double quotes.",
  escape: (sequence: string) => `Go has no escape ${sequence} here.`,
} as const;
