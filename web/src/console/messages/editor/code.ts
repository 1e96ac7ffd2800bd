export const codeText = {
  keys: "Tab indents. Press Escape and then Tab to leave the text. Press Control, Shift and M for the list of problems, F1 for the type at the cursor, and Control, Shift and Space for the parameters of a call.",
  loading: "Loading the editor…",
} as const;

export const typesText = {
  none: "There is no type here.",
  imported: (name: string, module: string) => `${name} is imported from ${module}.`,
  exportedBy: (paths: readonly string[]) => `Complete the name to import it from ${paths.join(" or ")}.`,
  noCall: "No function is called here.",
  signatures: (count: number) => `One of ${count} signatures.`,
  resting: "Types are paused for a while, because this code takes too long to check.",
} as const;

export const mergeText = {
  versions: { theirs: "Theirs", mine: "Mine", base: "Before" },
  compareWith: "Compare with",
  merged: "Merged text",
  why: "The merged text contains the changes of both. You can edit it.",
  clean: "Nothing is left to decide.",
  left: (count: number) =>
    `${count === 1 ? "One place was" : `${count} places were`} changed by both. Lines with <<<<<<< and >>>>>>> surround them.`,
  here: {
    mine: "Use mine in the first place",
    theirs: "Use theirs in the first place",
    both: "Use both in the first place",
  },
  all: { mine: "Use all of mine", theirs: "Use all of theirs", merged: "Merge again" },
} as const;
