/** A place at which a text breaks the rules of its language. Offsets count from 0. */
export interface SyntaxProblem {
  from: number;
  to: number;
  message: string;
  /** The language accepts the place, and warns. */
  isWarning?: boolean;
}

/** Returns the number of the line of an offset, from 1. */
export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}
