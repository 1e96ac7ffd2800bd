import type { DrawnFlow, DrawnModule } from "../../builders/random-flows.ts";

/**
 * An independent interpreter of flows that is derived from the description of the format and uses no code of the service. It supports the
 * flows of `randomFlow`.
 */
export interface Interpreted {
  state: "success" | "failure" | "skipped";
  result: unknown;
  /** The number of calls of each path. */
  calls: Map<string, number>;
}

interface Transform {
  type: string;
  expr?: string;
  value?: unknown;
}
/** A module with all options. */
interface Module extends DrawnModule {
  value: {
    type: string;
    input_transforms?: Record<string, Transform>;
    modules?: Module[];
    iterator?: Transform;
    parallel?: boolean;
    skip_failures?: boolean;
    branches?: { expr?: string; skip_failure?: boolean; modules: Module[] }[];
    default?: Module[];
  };
  mock?: { enabled?: boolean; return_value?: unknown };
  skip_if?: { expr: string };
  stop_after_if?: { expr: string; skip_if_stopped?: boolean; error_message?: string; error_include_result?: boolean };
  stop_after_all_iters_if?: { expr: string };
  continue_on_error?: boolean;
  retry?: { constant: { attempts: number }; retry_if?: { expr: string } };
}

/** The results of a list of modules; those of the enclosing lists are visible through it. */
interface Scope {
  input: Record<string, unknown>;
  results: Record<string, unknown>;
  around: Scope | undefined;
}
/** The outcome of a list of modules or of one module. `handled`: a failure module has handled the failure. */
type End =
  | { how: "done"; result: unknown }
  | { how: "stopped"; result: unknown; skip: boolean }
  | { how: "failed"; result: unknown; handled: boolean };

const PLAIN_PATH = /^[A-Za-z_$][\w$]*(\??\.[A-Za-z_$][\w$]*|\[\d+\])*$/;

class Thrown extends Error {}

/** An expression, or else the statements of a function. */
function compile(expr: string, names: string[]): (...values: unknown[]) => unknown {
  try {
    return new Function(...names, `return (${expr}\n)`) as () => unknown;
  } catch {
    // It is no expression.
    return new Function(...names, `{ ${expr}\n }`) as () => unknown;
  }
}

/** A script that cannot be found after the n-th call of a script has begun. */
interface Missing {
  path: string;
  after: number;
}

export function interpret(
  { modules, failure_module: failureModule }: DrawnFlow,
  input: Record<string, unknown>,
  missing?: Missing,
): Interpreted {
  const calls = new Map<string, number>();
  let begun = 0;

  function evaluate(expr: string, scope: Scope, previous: unknown, more: object = {}): unknown {
    const results: Record<string, unknown> = {};
    for (let outer: Scope | undefined = scope; outer; outer = outer.around) {
      for (const [id, result] of Object.entries(outer.results)) if (!(id in results)) results[id] = result;
    }
    const known = new Proxy(results, { get: (target, id) => target[String(id)] ?? null });
    const error = (previous as { error?: unknown } | null)?.error ?? null;
    const names = { flow_input: scope.input, results: known, previous_result: previous, error, ...more };
    try {
      const value = compile(expr, Object.keys(names))(...Object.values(names)) as unknown;
      return JSON.parse(JSON.stringify(value ?? null));
    } catch (thrown) {
      if (PLAIN_PATH.test(expr)) return null;
      throw new Thrown("expression", { cause: thrown });
    }
  }
  const failed = (id: string, message: string, more: object = {}): End => ({
    how: "failed",
    result: { error: { message, step_id: id, ...more } },
    handled: false,
  });

  function runList(list: readonly Module[], scope: Scope): End {
    let previous: unknown = scope.input;
    for (const [index, module] of list.entries()) {
      const end = runModule(module, scope, previous);
      scope.results[module.id] = end.result;
      if (end.how === "stopped") return end;
      if (end.how === "failed" && !(module.continue_on_error && index < list.length - 1)) return mended(end, scope);
      previous = end.result;
    }
    return { how: "done", result: previous };
  }

  /** If the failure module succeeds, the list succeeds with its result. */
  function mended(end: Extract<End, { how: "failed" }>, scope: Scope): End {
    if (!failureModule || end.handled) return end;
    const handler = runModule(failureModule as Module, scope, end.result);
    if (handler.how === "failed") return { ...handler, handled: true };
    const recovers = (handler.result as { recover?: unknown } | null)?.recover === true;
    return recovers ? { how: "done", result: handler.result } : { how: "failed", result: handler.result, handled: true };
  }

  function runModule(module: Module, scope: Scope, previous: unknown): End {
    const { mock, skip_if: skip } = module;
    if (mock?.enabled) return { how: "done", result: mock.return_value ?? null };
    const skips = skip !== undefined && Boolean(evaluate(skip.expr, scope, previous));
    const end = skips ? ({ how: "done", result: previous } as const) : withRetries(module, scope, previous);
    const isList = ["forloopflow", "whileloopflow", "branchall"].includes(module.value.type);
    const predicate = isList ? module.stop_after_all_iters_if : module.stop_after_if;
    if (skips || !predicate || end.how !== "done" || !evaluate(predicate.expr, scope, previous, { result: end.result })) return end;
    const {
      skip_if_stopped: skipped = false,
      error_message: message,
      error_include_result: include,
    } = predicate as NonNullable<Module["stop_after_if"]>;
    if (skipped || message === undefined) return { how: "stopped", result: end.result, skip: skipped };
    return failed(module.id, message || `stop after if: ${predicate.expr}`, include ? { result: end.result } : {});
  }

  function withRetries(module: Module, scope: Scope, previous: unknown): End {
    const { attempts } = module.retry?.constant ?? { attempts: 0 };
    for (let failures = 1; ; failures += 1) {
      const end = runOnce(module, scope, previous);
      if (end.how !== "failed" || failures > attempts) return end;
      const { retry_if: predicate } = module.retry ?? {};
      if (predicate && !evaluate(predicate.expr, scope, previous, { result: end.result })) return end;
    }
  }

  function runOnce(module: Module, scope: Scope, previous: unknown): End {
    try {
      switch (module.value.type) {
        case "rawscript":
        case "script":
          return runScript(module, scope, previous);
        case "identity":
          return { how: "done", result: previous };
        case "branchone":
          return branchOne(module, scope, previous);
        case "branchall":
          return branchAll(module, scope);
        default:
          return loop(module, scope, previous);
      }
    } catch (error) {
      if (!(error instanceof Thrown)) throw error;
      return failed(module.id, error.message);
    }
  }

  function runScript({ id, value }: Module, scope: Scope, previous: unknown): End {
    const args = Object.fromEntries(
      Object.entries(value.input_transforms ?? {}).map(([name, { expr = "" }]) => [name, evaluate(expr, scope, previous)]),
    );
    if (missing && value.type === "script" && begun >= missing.after) return failed(id, `There is no script at ${missing.path}.`);
    begun += 1;
    const path = new URL(String(args["at"])).pathname.slice(1);
    const times = (calls.get(path) ?? 0) + 1;
    calls.set(path, times);
    if (times <= Number(args["fails"])) return failed(id, `planned ${path.split("/").pop()}`);
    return { how: "done", result: args["v"] };
  }

  /** The results inside a branch are visible to later modules. */
  function runBranch(list: readonly Module[], around: Scope): { end: End; results: Record<string, unknown> } {
    const scope: Scope = { input: around.input, results: {}, around };
    return { end: runList(list, scope), results: scope.results };
  }

  function branchOne({ value }: Module, scope: Scope, previous: unknown): End {
    const chosen = (value.branches ?? []).find(({ expr = "" }) => evaluate(expr, scope, previous))?.modules ?? value.default ?? [];
    if (chosen.length === 0) return { how: "done", result: previous };
    const { end, results } = runBranch(chosen, scope);
    Object.assign(scope.results, results);
    return end;
  }

  function branchAll({ value }: Module, scope: Scope): End {
    const inner: Scope = { input: scope.input, results: {}, around: scope };
    const entries: unknown[] = [];
    const found: Record<string, unknown> = {};
    let bad: End | undefined;
    let stopped: End | undefined;
    for (const { modules = [], skip_failure: skips } of value.branches ?? []) {
      const { end, results } = runBranch(modules, inner);
      Object.assign(value.parallel ? found : inner.results, results);
      entries.push(end.result);
      if (end.how === "failed" && !skips) bad ??= end;
      if (end.how === "stopped" && !value.parallel) stopped = end;
      if (!value.parallel && (bad ?? stopped)) break;
    }
    Object.assign(scope.results, inner.results, found);
    return whole(entries, bad, stopped);
  }

  function loop({ id, value, stop_after_if: breaks }: Module, scope: Scope, previous: unknown): End {
    const list = value.type === "whileloopflow" ? undefined : evaluate(value.iterator?.expr ?? "", scope, previous);
    if (list !== undefined && !Array.isArray(list)) return failed(id, "Expected an array");
    const entries: unknown[] = [];
    let bad: End | undefined;
    for (let index = 0; index < (list?.length ?? Number.POSITIVE_INFINITY); index += 1) {
      const input = withIter(scope.input, { index, value: list ? list[index] : index });
      const end = runList(value.modules ?? [], { input, results: {}, around: scope });
      entries.push(end.result);
      if (end.how === "failed" && !value.skip_failures) bad ??= end;
      if (value.parallel) continue;
      if (bad || end.how === "stopped") break;
      if (breaks && evaluate(breaks.expr, scope, previous, { result: end.result, all_iters: entries })) break;
    }
    return whole(entries, bad, undefined);
  }

  const whole = (result: unknown[], bad: End | undefined, stopped: End | undefined): End => {
    if (bad) return { how: "failed", result, handled: failureModule !== undefined };
    return stopped?.how === "stopped" ? { ...stopped, result } : { how: "done", result };
  };

  const end = runList(modules as Module[], { input, results: {}, around: undefined });
  const state = end.how === "failed" ? "failure" : end.how === "stopped" && end.skip ? "skipped" : "success";
  return { state, result: end.result, calls };
}

/** The inner loop's `iter` hides the outer one's, which is `iter_parent` from there on. */
function withIter(input: Record<string, unknown>, iter: object): Record<string, unknown> {
  const renamed = Object.entries(input).map(([name, value]) => [name.startsWith("iter") ? `${name}_parent` : name, value] as const);
  return { ...Object.fromEntries(renamed), iter };
}
