import { type Diagnostic, linter } from "@codemirror/lint";
import { type Extension, StateEffect, StateField, type Text } from "@codemirror/state";

/** A place of a text: offsets, or a line and a column, both from 1. A line without a column is meant as a whole. */
export type Place = { from: number; to?: number } | { line: number; column?: number };

export interface Problem {
  at: Place;
  severity: "error" | "warning" | "info";
  message: string;
}

/** Returns the offsets of a place. One outside of the text is moved into it. */
export function rangeOf(doc: Text, at: Place): { from: number; to: number } {
  const within = (offset: number) => Math.max(0, Math.min(offset, doc.length));
  if ("from" in at) return { from: within(at.from), to: Math.max(within(at.from), within(at.to ?? at.from)) };
  const line = doc.line(Math.max(1, Math.min(at.line, doc.lines)));
  if (at.column === undefined) return { from: line.from, to: line.to };
  const from = Math.max(line.from, Math.min(line.from + at.column - 1, line.to));
  return { from, to: Math.min(from + 1, line.to) };
}

const toDiagnostic = (doc: Text, { at, severity, message }: Problem): Diagnostic => ({ ...rangeOf(doc, at), severity, message });

const setMarked = StateEffect.define<readonly Problem[]>();

/** The problems that were found outside of the editor. They move with their text. */
const marked = StateField.define<readonly Diagnostic[]>({
  create: () => [],
  update(found, { changes, docChanged, effects, state }) {
    const moved = docChanged
      ? found.map((one) => ({
          ...one,
          from: changes.mapPos(one.from, 1),
          to: Math.max(changes.mapPos(one.from, 1), changes.mapPos(one.to, -1)),
        }))
      : found;
    return effects.reduce((last, effect) => (effect.is(setMarked) ? effect.value.map((one) => toDiagnostic(state.doc, one)) : last), moved);
  },
});

/** Replaces the problems that were found outside of the editor. */
export const mark = (problems: readonly Problem[]) => setMarked.of(problems);

type FindProblems = (text: string) => readonly Problem[] | Promise<readonly Problem[]>;

/** Shows the problems from outside, and those that `find` returns after each change. */
export function showProblems(find: () => FindProblems | undefined): Extension {
  const fromOutside = linter(({ state }) => state.field(marked), {
    delay: 0,
    needsRefresh: ({ transactions }) => transactions.some(({ effects }) => effects.some((effect) => effect.is(setMarked))),
  });
  const whileTyping = linter(async ({ state }) => {
    const found = await find()?.(state.doc.toString());
    return (found ?? []).map((one) => toDiagnostic(state.doc, one));
  });
  return [marked, fromOutside, whileTyping];
}
