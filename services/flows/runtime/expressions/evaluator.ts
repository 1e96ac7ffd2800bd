import type { InputTransform } from "../../../../contract/flows/flow-value.ts";
import { assertNever } from "../../../../contract/utilities/assert-never.ts";
import type { EvaluatedAs } from "../../../../core/expressions/interpret.ts";
import { isPlainPath } from "../../../../core/expressions/plain-path.ts";
import { collectReferences, usesName } from "../../../../core/flows/references.ts";
import type { Uses } from "../../../uses.ts";
import type { StepContext } from "../step-context.ts";
import { evaluateWithReads } from "./evaluate-with-reads.ts";
import { loadNames } from "./load-names.ts";

/** An expression failed, and the step fails with it. */
export class ExpressionError extends Error {
  override readonly name = "ExpressionError";
}

/** Names that an expression sees in addition to those of the flow, for example `result`. */
export type ExtraNames = Readonly<Record<string, unknown>>;

/** Evaluates the expressions of one step. Each name is loaded once, and only where an expression uses it. `location` names the expression in errors. All methods throw `ExpressionError`. */
export interface Evaluator {
  value(location: string, expression: string, extra?: ExtraNames): Promise<unknown>;
  /** Whether the value is truthy. */
  holds(location: string, expression: string, extra?: ExtraNames): Promise<boolean>;
  transform(location: string, transform: InputTransform, extra?: ExtraNames): Promise<unknown>;
  /** A finite number, which may be in a text; `undefined` for null. `kind` describes it in the error. */
  number(location: string, transform: number | InputTransform, kind: string, extra?: ExtraNames): Promise<number | undefined>;
}

/** Expressions of a step. In those of `beforeRun`, `result` is an alias of `previous_result`. */
export interface StepExpressions {
  beforeRun: readonly string[];
  others: readonly string[];
}

/** Results that the journal does not contain yet, by the ids of their steps. */
export type NewResults = Readonly<Record<string, unknown>>;

/** Creates the evaluator of a step. `expressions`: all that may be evaluated, so that their names are loaded together. */
export function createEvaluator(
  deps: Uses<"jobs" | "objects" | "storage" | "dataKeys" | "nowMs">,
  step: StepContext,
  { beforeRun, others }: StepExpressions,
  newResults: NewResults = {},
): Evaluator {
  const load = async () => {
    const references = await collectReferences([...beforeRun, ...others]);
    const aliasing = new Set<string>();
    for (const expression of beforeRun) if (await usesName(expression, "result")) aliasing.add(expression);
    references.previous ||= aliasing.size > 0;
    const names = await loadNames(deps, step, references, newResults);
    return { names, aliasing };
  };
  let loading: ReturnType<typeof load> | undefined;
  const reads = new Map<string, unknown>();
  const evaluate = async (
    location: string,
    expression: string,
    { as, extra = {} }: { as: EvaluatedAs; extra?: ExtraNames | undefined },
  ) => {
    loading ??= load();
    const { names: loaded, aliasing } = await loading;
    const alias = aliasing.has(expression) ? { result: loaded["previous_result"] } : {};
    const names = { ...loaded, ...alias, ...extra };
    const found = await evaluateWithReads(deps, step, { expression, names, reads, as });
    if (found.ok) return found.value;
    // A missing property on a plain path is null, not an error.
    if (isPlainPath(expression) && found.reason.startsWith("TypeError")) return null;
    throw new ExpressionError(`${location}: ${expression.trim()}: ${found.reason}`);
  };
  const transformAs = async (
    location: string,
    transform: InputTransform,
    { as, extra }: { as: EvaluatedAs; extra?: ExtraNames | undefined },
  ) => {
    switch (transform.type) {
      case "static":
        return transform.value ?? null;
      case "javascript":
        return evaluate(location, transform.expr, { as, extra });
      case "ai":
        throw new ExpressionError(`${location}: input transforms of type ai are not supported.`);
      default:
        return assertNever(transform);
    }
  };
  return {
    value: (location, expression, extra) => evaluate(location, expression, { as: "json", extra }),
    holds: async (location, expression, extra) => Boolean(await evaluate(location, expression, { as: "boolean", extra })),
    transform: (location, transform, extra) => transformAs(location, transform, { as: "json", extra }),
    number: async (location, transform, kind, extra) => {
      const value = typeof transform === "number" ? transform : await transformAs(location, transform, { as: "number", extra });
      if (value === null) return undefined;
      const number = typeof value === "number" || (typeof value === "string" && value.trim() !== "") ? Number(value) : Number.NaN;
      if (Number.isFinite(number)) return number;
      const text = typeof transform === "object" && transform.type === "javascript" ? `${transform.expr.trim()}: ` : "";
      throw new ExpressionError(`${location}: ${text}the value must be ${kind}.`);
    },
  };
}
