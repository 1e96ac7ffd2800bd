/** The states of a document that a person can return to. */
export interface History<T> {
  readonly past: readonly T[];
  readonly present: T;
  readonly future: readonly T[];
  /** The field whose changes form one step back while they follow each other. */
  readonly field?: string | undefined;
}

const MOST_STEPS = 200;

export const beginHistory = <T>(present: T): History<T> => ({ past: [], present, future: [] });

/** Adds a state. Changes of the same field, such as the letters of a text, are one step. */
export function record<T>(history: History<T>, next: T, field?: string): History<T> {
  if (Object.is(next, history.present)) return history;
  const continues = field !== undefined && field === history.field;
  const past = continues ? history.past : [...history.past.slice(1 - MOST_STEPS), history.present];
  return { past, present: next, future: [], field };
}

export function undo<T>({ past, present, future }: History<T>): History<T> {
  const previous = past.at(-1);
  return previous === undefined ? { past, present, future } : { past: past.slice(0, -1), present: previous, future: [present, ...future] };
}

export function redo<T>({ past, present, future }: History<T>): History<T> {
  const [next, ...rest] = future;
  return next === undefined ? { past, present, future } : { past: [...past, present], present: next, future: rest };
}
