import type { QuickJSWASMModule } from "quickjs-emscripten-core";

export type EvaluationResult =
  | { ok: true; value: unknown }
  /** `missingReference`: the expression reads this reference, which is not loaded yet. */
  | { ok: false; reason: string; missingReference?: string };

/** The values of `variable(path)` and `resource(path)` by reference, for example `$var:f/ops/key`. */
export type ReferenceValues = ReadonlyMap<string, unknown>;

/** Processor time, not elapsed time: an expression is not responsible for waiting on a busy machine. */
const TIME_MS = 500;
const MEMORY_BYTES = 64 * 1024 * 1024;
/** Callbacks from WebAssembly use the stack of this process, which must not overflow first. */
const STACK_BYTES = 128 * 1024;

/** Loaded on first use, because the module is large and few calls need it. */
let engine: Promise<QuickJSWASMModule> | undefined;

async function load(): Promise<QuickJSWASMModule> {
  const [core, { default: variant }] = await Promise.all([
    import("quickjs-emscripten-core"),
    import("@jitl/quickjs-singlefile-mjs-release-sync"),
  ]);
  return core.newQuickJSWASMModuleFromVariant(variant);
}

/** Matches names and indices alone, such as `job.input.list[0].name`, which need no interpreter. A missing part yields `null`. */
const PLAIN = /^[A-Za-z_$][\w$]*(\??\.[A-Za-z_$][\w$]*|\[\d+\])*$/;
const WORDS = new Set(["null", "true", "false", "undefined", "NaN", "Infinity", "this", "globalThis"]);

/** Returns whether an expression consists of names and indices alone, such as `results.a.list[0]`. */
export const isPlainPath = (expression: string) => PLAIN.test(expression.trim());

/** Returns the names and indices of a plain path in order, or `undefined` for any other expression. */
export function parsePlainPath(expression: string): string[] | undefined {
  const text = expression.trim();
  return PLAIN.test(text) && !WORDS.has(text) ? (text.match(/[\w$]+/g) ?? []) : undefined;
}

/**
 * Evaluates a JavaScript expression and returns its value as JSON. A text with `return` is the body of a function. The expression sees only
 * `names`, runs in an interpreter of its own, and ends after half a second of processor time. With `reads`, it may call `variable` and
 * `resource`. The interpreter cannot wait, so it stops at the first value that is not in `reads` and returns its reference: the caller
 * loads the value and evaluates again.
 */
export async function evaluateExpression(
  expression: string,
  names: Readonly<Record<string, unknown>>,
  reads?: ReferenceValues,
): Promise<EvaluationResult> {
  const text = expression.trim();
  const parts = parsePlainPath(text);
  if (parts) {
    // The interpreter resolves inherited properties, such as `length` of a list.
    const found = own(names, parts);
    if (found) return { ok: true, value: found.value };
  }
  engine ??= load().catch((error: unknown) => {
    engine = undefined;
    throw error;
  });
  const quickJs = await engine;
  try {
    return interpret(quickJs, text, names, reads);
  } catch (error) {
    // An interpreter that failed is not used again.
    engine = undefined;
    if (error instanceof RangeError || isTrap(error))
      return { ok: false, reason: "it exceeded the memory or stack limit of the interpreter." };
    throw error;
  }
}

/** Returns `undefined` if a part is not an own property of its parent. */
function own(names: Readonly<Record<string, unknown>>, parts: string[]): { value: unknown } | undefined {
  let value: unknown = names;
  for (const part of parts) {
    if (value === null || value === undefined) return { value: null };
    if (typeof value !== "object" || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return { value: value ?? null };
}

function interpret(
  quickJs: QuickJSWASMModule,
  text: string,
  names: Readonly<Record<string, unknown>>,
  reads?: ReferenceValues,
): EvaluationResult {
  const untilMs = computedMs() + TIME_MS;
  const runtime = quickJs.newRuntime({
    memoryLimitBytes: MEMORY_BYTES,
    maxStackSizeBytes: STACK_BYTES,
    interruptHandler: () => computedMs() > untilMs,
  });
  const context = runtime.newContext();
  try {
    const given = context.newString(JSON.stringify({ names, reads: reads && Object.fromEntries(reads) }));
    context.setProp(context.global, "given", given);
    given.dispose();
    const result = context.evalCode(codeOf(text, Object.keys(names), reads !== undefined), "expression.js");
    if (result.error) {
      const reason = reasonOf(context.dump(result.error));
      result.error.dispose();
      return { ok: false, reason: computedMs() > untilMs ? `it took longer than ${TIME_MS} ms.` : reason };
    }
    const output = context.getString(result.value);
    result.value.dispose();
    // JSON text never begins with `$`, as references do.
    return output.startsWith("$")
      ? { ok: false, reason: `it reads ${output}.`, missingReference: output }
      : { ok: true, value: JSON.parse(output) };
  } finally {
    context.dispose();
    runtime.dispose();
  }
}

/**
 * The names are parameters of a function, so that the text can be any expression and its own declarations may shadow them. The text has no
 * access to the calling code. A missing reference counts even if the expression catches the error.
 */
function codeOf(text: string, names: string[], mayRead: boolean): string {
  const body = /\breturn\b/.test(text) ? text : `return (${text}\n)`;
  const readers = mayRead ? 'reading("variable", "$var:"), reading("resource", "$res:")' : "";
  const values = names.map((name) => `names.${name}`).join(", ");
  return `((run) => {
    const { names, reads } = JSON.parse(given);
    delete globalThis.given;
    let asks;
    const reading = (name, prefix) => (path) => {
      if (typeof path !== "string" || path === "") throw new TypeError(name + "() takes a path");
      const reference = prefix + path;
      if (Object.hasOwn(reads, reference)) return reads[reference];
      asks ??= reference;
      throw new Error("not read yet");
    };
    try {
      const json = JSON.stringify(run(${readers})(${values})) ?? "null";
      return asks ?? json;
    } catch (error) {
      if (asks === undefined) throw error;
      return asks;
    }
  })((${mayRead ? "variable, resource" : ""}) => function (${names.join(", ")}) {\n${body}\n})`;
}

function computedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Returns whether WebAssembly itself failed. */
const isTrap = (error: unknown) => error instanceof Error && error.name === "RuntimeError";

/** Formats a thrown value of any type on one line. */
function reasonOf(thrown: unknown): string {
  const { name, message } = (typeof thrown === "object" && thrown !== null ? thrown : {}) as { name?: unknown; message?: unknown };
  const text = typeof message === "string" ? `${typeof name === "string" ? name : "Error"}: ${message}` : JSON.stringify(thrown);
  return `${(text ?? "it threw undefined").replaceAll(/\s+/g, " ").slice(0, 300)}.`;
}
