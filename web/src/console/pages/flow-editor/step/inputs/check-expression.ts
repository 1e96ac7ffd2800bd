import { limits } from "../../../../../../../contract/limits.ts";
import { parseExpression } from "../../../../../../../core/expressions/parse-expression.ts";

/** `problem`: the service refuses it or the step fails. `notice`: it is valid, but probably not meant. */
export interface Checked {
  problem?: string;
  notice?: string;
}

/** Checks an expression with the rules of the service. It is parsed and never run. */
export function checkExpression(text: string, before: readonly string[]): Checked {
  if (text.trim() === "") return { problem: "Enter an expression." };
  if (text.length > limits.expressionChars) return { problem: `An expression has at most ${limits.expressionChars} characters.` };
  const parsed = parseExpression(text);
  if (!parsed.ok) return { problem: parsed.reason };
  if (parsed.results === "all") return {};
  const missing = [...parsed.results].filter((id) => !before.includes(id));
  return missing.length === 0 ? {} : { notice: `No step before this one has the id ${missing.join(", ")}. Its result is null.` };
}
