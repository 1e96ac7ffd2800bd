/** Ids that only the steps aside have. */
export const RESERVED: readonly string[] = ["failure", "preprocessor"];

/** Returns the first of a, b, … z, aa, ab … that is not taken. */
export function freshId(taken: ReadonlySet<string>): string {
  for (let number = 0; ; number += 1) {
    const id = letters(number);
    if (!taken.has(id) && !RESERVED.includes(id)) return id;
  }
}

function letters(number: number): string {
  const last = String.fromCharCode(97 + (number % 26));
  return number < 26 ? last : letters(Math.floor(number / 26) - 1) + last;
}

export type IdProblem = "form" | "reserved" | "taken";

/** Returns why a text cannot be the id of a step. */
export function idProblem(id: string, taken: ReadonlySet<string>): IdProblem | undefined {
  if (!/^(?!(__proto__|constructor)$)[A-Za-z0-9_-]{1,80}$/.test(id)) return "form";
  if (RESERVED.includes(id)) return "reserved";
  return taken.has(id) ? "taken" : undefined;
}
