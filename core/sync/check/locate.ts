import { isMap, isPair, isScalar, LineCounter, parseDocument } from "yaml";
import type { FileProblem } from "../item.ts";

/** Finds the line and the column of a property, if the text contains it. */
export type Locator = (path: readonly PropertyKey[]) => Pick<FileProblem, "line" | "column">;

/** Returns a function that finds the line and the column of a property in a YAML text. */
export function createLocator(text: string): Locator {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  return (path) => {
    const offset = findOffset(document.contents, path);
    if (offset === undefined) return {};
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
}

/** Returns the offset in the text at which the key or item of a path begins. */
function findOffset(root: unknown, path: readonly PropertyKey[]): number | undefined {
  let node = root;
  let offset: number | undefined = 0;
  for (const part of path) {
    if (isMap(node)) {
      const pair: unknown = node.items.find((item) => isPair(item) && isScalar(item.key) && String(item.key.value) === String(part));
      if (!isPair(pair)) return offset;
      offset = isScalar(pair.key) ? (pair.key.range?.[0] ?? offset) : offset;
      node = pair.value;
      continue;
    }
    const item: unknown = (node as { items?: unknown[] } | null)?.items?.[Number(part)];
    if (item === undefined) return offset;
    offset = (item as { range?: [number] }).range?.[0] ?? offset;
    node = item;
  }
  return offset;
}
