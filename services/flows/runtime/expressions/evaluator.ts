import { assertNever } from "../../../../contract/assert-never.ts";
import type { InputTransform } from "../../../../contract/flows/flow-value.ts";
import { isPlainPath } from "../../../../core/expressions/plain-path.ts";
import { collectReferences } from "../../../../core/flows/references.ts";
import type { StepContext } from "../step-context.ts";
import { evaluateWithReads, type ReadReferenceDeps } from "./evaluate-with-reads.ts";
import { type LoadNamesDeps, loadNames } from "./load-names.ts";

/** An expression failed, and the step fails with it. */
export class ExpressionError extends Error {
  override readonly name = "ExpressionError";
}

/** Names that an expression sees besides those of the flow, for example `result`. */
export type ExtraNames = Readonly<Record<string, unknown>>;

/** Evaluates the expressions of one step. Each name is loaded once, and only where an expression uses it. All methods throw `ExpressionError`. */
export interface Evaluator {
  value(expression: string, extra?: ExtraNames): Promise<unknown>;
  /** Whether the value is truthy. */
  holds(expression: string, extra?: ExtraNames): Promise<boolean>;
  transform(transform: InputTransform, extra?: ExtraNames): Promise<unknown>;
}

export type EvaluatorDeps = LoadNamesDeps & ReadReferenceDeps;
/** The evaluator of a step, next to the services that complete the step. */
export interface ExpressionDeps {
  expressions: Evaluator;
}

/** Expressions of a step. In those of `beforeRun`, `result` is an alias of `previous_result`. */
export interface StepExpressions {
  beforeRun: readonly string[];
  others: readonly string[];
}

/** Creates the evaluator of a step. `expressions`: all that may be evaluated, so that the names in them are loaded together. */
export function createEvaluator(deps: EvaluatorDeps, step: StepContext, { beforeRun, others }: StepExpressions): Evaluator {
  const references = collectReferences([...beforeRun, ...others]);
  const aliasing = new Set(beforeRun.filter((expression) => /\bresult\b/.test(expression)));
  references.previous ||= aliasing.size > 0;
  let loading: Promise<Record<string, unknown>> | undefined;
  const reads = new Map<string, unknown>();
  const value = async (expression: string, extra: ExtraNames = {}) => {
    loading ??= loadNames(deps, step, references);
    const loaded = await loading;
    const alias = aliasing.has(expression) ? { result: loaded["previous_result"] } : {};
    const names = { ...loaded, ...alias, ...extra };
    const found = await evaluateWithReads(deps, step, { expression, names, reads });
    if (found.ok) return found.value;
    // A missing property on a plain path is null, and no error.
    if (isPlainPath(expression) && /TypeError/.test(found.reason)) return null;
    throw new ExpressionError(`${expression.trim()}: ${found.reason}`);
  };
  return {
    value,
    holds: async (expression, extra) => Boolean(await value(expression, extra)),
    transform: async (transform, extra) => {
      switch (transform.type) {
        case "static":
          return transform.value ?? null;
        case "javascript":
          return value(transform.expr, extra);
        case "ai":
          throw new ExpressionError("Input transforms of type ai are not supported.");
        default:
          return assertNever(transform);
      }
    },
  };
}
