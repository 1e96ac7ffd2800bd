import { diff3Merge } from "node-diff3";

/** Two texts that began from the same one. */
export interface Versions {
  /** The text that both began from. Without it, every difference is a conflict. */
  base?: string;
  theirs: string;
  mine: string;
}

const MINE = "<<<<<<< Mine";
const BETWEEN = "=======";
const THEIRS = ">>>>>>> Theirs";

/** Merges two texts by lines. If the texts change the same lines differently, the result contains the lines of both texts between marks. */
export function mergeTexts({ base, theirs, mine }: Versions): string {
  const merged = diff3Merge(mine.split("\n"), (base ?? "").split("\n"), theirs.split("\n"), { excludeFalseConflicts: true });
  return merged.flatMap(({ ok, conflict }) => ok ?? (conflict ? [MINE, ...conflict.a, BETWEEN, ...conflict.b, THEIRS] : [])).join("\n");
}

/** Returns the marked places of a merged text, as numbers of lines from 0. */
export function listConflicts(text: string): { mine: number; between: number; theirs: number }[] {
  const found: { mine: number; between: number; theirs: number }[] = [];
  let open: { mine: number; between?: number } | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    if (line === MINE) open = { mine: index };
    else if (line === BETWEEN && open && open.between === undefined) open.between = index;
    else if (line === THEIRS && open?.between !== undefined) {
      found.push({ mine: open.mine, between: open.between, theirs: index });
      open = undefined;
    }
  }
  return found;
}

/** Replaces the first marked place of a merged text by the lines of one or both versions. */
export function decideFirst(text: string, side: "mine" | "theirs" | "both"): string {
  const [first] = listConflicts(text);
  if (!first) return text;
  const lines = text.split("\n");
  const mine = lines.slice(first.mine + 1, first.between);
  const theirs = lines.slice(first.between + 1, first.theirs);
  const chosen = { mine, theirs, both: [...mine, ...theirs] }[side];
  return [...lines.slice(0, first.mine), ...chosen, ...lines.slice(first.theirs + 1)].join("\n");
}
