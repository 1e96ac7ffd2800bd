import type { Parser, SyntaxNode, Tree } from "@lezer/common";

/**
 * Parses TypeScript. The grammar does not know the quoted names of enum members (`"a-b" = 1`, `["a-b"] = 1`), so names of the same length replace
 * them while it parses. The positions of the nodes are those of the source.
 */
export function parseTypescript(parser: Parser, source: string): SyntaxNode {
  let text = source;
  let tree = parser.parse(text);
  // The error at a quoted name can hide the next enum.
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const replaced = replaceQuotedNames(tree, text);
    if (replaced === text) break;
    text = replaced;
    tree = parser.parse(text);
  }
  return tree.topNode;
}
const MAX_ROUNDS = 5;

function replaceQuotedNames(tree: Tree, text: string): string {
  const pieces: string[] = [];
  let [end, scanned] = [0, 0];
  tree.iterate({
    enter: ({ name, from }) => {
      // No part of the text is scanned twice.
      if (name !== "EnumBody" || from < scanned) return;
      const found = findQuotedNames(text, from);
      scanned = found.end;
      for (const { at, length } of found.names) {
        pieces.push(text.slice(end, at), "$".repeat(length));
        end = at + length;
      }
    },
  });
  return pieces.join("") + text.slice(end);
}

const TOKEN =
  /\/\/.*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?|\[\s*(?:"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*')\s*\]|"(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?|`(?:[^`\\]|\\[\s\S])*`?|\s+|[\w$]+|[\s\S]/g;

/** Returns the quoted names of the members of an enum, whose body begins at `from`, and the position after the body. */
function findQuotedNames(text: string, from: number): { names: { at: number; length: number }[]; end: number } {
  const names: { at: number; length: number }[] = [];
  let [depth, before] = [0, ""];
  TOKEN.lastIndex = from;
  for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) {
    const [token] = match;
    if (/^(\s|\/\/|\/\*)/.test(token)) continue;
    const isName = depth === 1 && (before === "{" || before === ",");
    if (isName && /^(["']|\[.)/s.test(token)) names.push({ at: match.index, length: token.length });
    if (["{", "(", "["].includes(token)) depth += 1;
    if (["}", ")", "]"].includes(token)) depth -= 1;
    if (depth === 0) return { names, end: TOKEN.lastIndex };
    before = token;
  }
  return { names, end: text.length };
}
