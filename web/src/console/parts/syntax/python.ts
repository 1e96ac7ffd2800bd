import { syntaxTree } from "@codemirror/language";
import { type Diagnostic, linter } from "@codemirror/lint";
import type { Extension } from "@codemirror/state";
import { syntaxText } from "../../messages/editor/syntax.ts";

type Tree = ReturnType<typeof syntaxTree>;

const MOST_PROBLEMS = 20;

/** Valid Python that the grammar of the editor refuses: `yield` alone, and patterns. */
const REFUSED_VALID = new Set(["YieldStatement", "YieldExpression", "MatchStatement"]);

/** Returns the places that the grammar of Python does not accept. */
export function findPythonErrors(tree: Tree): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  tree.iterate({
    enter: ({ from, to, name, type }) => {
      if (found.length === MOST_PROBLEMS || REFUSED_VALID.has(name)) return false;
      // One place lacks several parts at times.
      if (type.isError && found.at(-1)?.from !== from) found.push({ from, to });
      return undefined;
    },
  });
  return found;
}

/** Shows the syntax errors of Python. The tree grows in the background, so a long text is no long task. */
export const showPythonErrors: Extension = linter(
  ({ state }) =>
    findPythonErrors(syntaxTree(state)).map((range): Diagnostic => ({ ...range, severity: "warning", message: syntaxText.python })),
  { needsRefresh: ({ startState, state }) => syntaxTree(startState) !== syntaxTree(state) },
);
