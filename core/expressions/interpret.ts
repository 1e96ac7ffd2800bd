import type { QuickJSWASMModule } from "quickjs-emscripten-core";
import { EXPRESSION_MS, TOO_LONG } from "./expression-time.ts";

/** The request for one evaluation, from the main thread to the interpreter's thread. */
export interface Evaluation {
  /** The text that was parsed: an expression, or the body of a function. */
  code: string;
  isBody: boolean;
  /** The kind of value: any JSON value, whether it is truthy, or a number in a text. */
  as: EvaluatedAs;
  /** The names that the expression sees. */
  names: string[];
  /** The JSON text of `{names, reads}`. */
  input: string;
  /** The expression may call `variable` and `resource`. */
  mayRead: boolean;
}

export type EvaluatedAs = "json" | "boolean" | "number";

/** The value as JSON text, or the reason of a failure. */
export type Interpretation = { ok: true; json: string } | { ok: false; reason: string; missingReference?: string };

const MEMORY_BYTES = 64 * 1024 * 1024;
/** Callbacks from WebAssembly use the stack of this thread, which must not overflow before the interpreter's own limit. */
const STACK_BYTES = 128 * 1024;

/** Loads the interpreter, which is large. */
export async function loadInterpreter(): Promise<QuickJSWASMModule> {
  const [core, { default: variant }] = await Promise.all([
    import("quickjs-emscripten-core"),
    import("@jitl/quickjs-singlefile-mjs-release-sync"),
  ]);
  return core.newQuickJSWASMModuleFromVariant(variant);
}

/**
 * Evaluates an expression. The limit of processor time is checked between two steps of the interpreter, so a native loop such as `indexOf`
 * in a large array exceeds it: the caller must be able to end the thread. Throws where WebAssembly failed, after which the interpreter must
 * not be used again.
 */
export function interpretExpression(quickJs: QuickJSWASMModule, evaluation: Evaluation): Interpretation {
  const untilMs = computedMs() + EXPRESSION_MS;
  const runtime = quickJs.newRuntime({
    memoryLimitBytes: MEMORY_BYTES,
    maxStackSizeBytes: STACK_BYTES,
    interruptHandler: () => computedMs() > untilMs,
  });
  const context = runtime.newContext();
  try {
    const input = context.newString(evaluation.input);
    context.setProp(context.global, "given", input);
    input.dispose();
    const result = context.evalCode(codeOf(evaluation), "expression.js");
    if (result.error) {
      const reason = reasonOf(context.dump(result.error));
      result.error.dispose();
      return { ok: false, reason: computedMs() > untilMs ? TOO_LONG : reason };
    }
    const output = context.getString(result.value);
    result.value.dispose();
    // JSON text never begins with `$`, as references do.
    return output.startsWith("$") ? { ok: false, reason: `it reads ${output}.`, missingReference: output } : { ok: true, json: output };
  } finally {
    context.dispose();
    runtime.dispose();
  }
}

/** The code that converts values. JSON has no infinite numbers and no integers of arbitrary size, so both are converted here. */
const CONVERSIONS: Record<EvaluatedAs, string> = {
  json: "value",
  boolean: "Boolean(value)",
  number: "(value ?? null) === null ? null : ['number', 'bigint', 'string'].includes(typeof value) ? String(value) : 'NaN'",
};

/**
 * The names are parameters of a function, so that the text can be any expression. The statements of a body are a block, so that their own
 * declarations may shadow the names. The text has no access to the calling code. A missing reference counts even if the expression catches the
 * error. A step without a result is not a property of `results`, but reading it yields null.
 */
function codeOf({ code, isBody, as, names, mayRead }: Evaluation): string {
  const body = isBody ? `{\n${code}\n}` : `return (${code}\n)`;
  const readers = mayRead ? 'reading("variable", "$var:"), reading("resource", "$res:")' : "";
  const values = names.map((name) => `names.${name}`).join(", ");
  return `((run) => {
    const { parse, stringify } = JSON;
    const { names, reads } = parse(given);
    delete globalThis.given;
    const { hasOwn } = Object;
    if (hasOwn(names, "results")) names.results = new Proxy(names.results, {
      get: (results, id) => hasOwn(results, id) || id in results || typeof id !== "string" ? results[id] : null,
    });
    let asks;
    const reading = (name, prefix) => (path) => {
      if (typeof path !== "string" || path === "") throw new TypeError(name + "() takes a path");
      const reference = prefix + path;
      if (hasOwn(reads, reference)) return reads[reference];
      asks ??= reference;
      throw new Error("not read yet");
    };
    const convert = (value) => ${CONVERSIONS[as]};
    try {
      const value = convert(run(${readers})(${values}));
      const json = stringify(value, (_, each) => typeof each === "bigint" ? String(each) : each) ?? "null";
      return asks ?? json;
    } catch (error) {
      if (asks === undefined) throw error;
      return asks;
    }
  })((${mayRead ? "variable, resource" : ""}) => function (${names.join(", ")}) {\n${body}\n})`;
}

/** Returns the processor time of this thread (ms), which does not include the time of waiting on a busy machine. */
function computedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Returns whether WebAssembly itself failed, for example because its stack overflowed. */
export const isTrap = (error: unknown) => error instanceof RangeError || (error instanceof Error && error.name === "RuntimeError");

/** Formats a thrown value of any type on one line. */
function reasonOf(thrown: unknown): string {
  const { name, message } = (typeof thrown === "object" && thrown !== null ? thrown : {}) as { name?: unknown; message?: unknown };
  const text = typeof message === "string" ? `${typeof name === "string" ? name : "Error"}: ${message}` : JSON.stringify(thrown);
  return `${(text ?? "it threw undefined").replaceAll(/\s+/g, " ").slice(0, 300)}.`;
}
