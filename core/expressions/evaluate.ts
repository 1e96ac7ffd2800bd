import type { QuickJSWASMModule } from "quickjs-emscripten-core";

export type EvaluationResult =
  | { ok: true; value: unknown }
  /** `asks`: it has not got any further without what stands behind this reference. */
  | { ok: false; reason: string; missingReference?: string };

/** What `variable(path)` and `resource(path)` give, by the reference that means the same: `$var:f/ops/key`. */
export type ReferenceValues = ReadonlyMap<string, unknown>;

/** Processor time, not elapsed time: an expression is not responsible for waiting on a busy machine. */
const TIME_MS = 500;
const MEMORY_BYTES = 64 * 1024 * 1024;
/** Callbacks from WebAssembly use the stack of this process, which must not overflow first. */
const STACK_BYTES = 128 * 1024;

/** Loaded on first use: it is as large as a whole function, and few calls need it. */
let engine: Promise<QuickJSWASMModule> | undefined;

async function load(): Promise<QuickJSWASMModule> {
  const [core, { default: variant }] = await Promise.all([
    import("quickjs-emscripten-core"),
    import("@jitl/quickjs-singlefile-mjs-release-sync"),
  ]);
  return core.newQuickJSWASMModuleFromVariant(variant);
}

/** `job.input.list[0].name`: names and numbers alone, which needs no interpreter. What is missing on the way is `null`. */
const PLAIN = /^[A-Za-z_$][\w$]*(\??\.[A-Za-z_$][\w$]*|\[\d+\])*$/;
const WORDS = new Set(["null", "true", "false", "undefined", "NaN", "Infinity", "this", "globalThis"]);

/** Names and numbers alone, as in `results.a.list[0]`. */
export const isPlainPath = (expression: string) => PLAIN.test(expression.trim());

/** Those names and numbers, one after the other; `undefined` for any other expression. */
export function parsePlainPath(expression: string): string[] | undefined {
  const text = expression.trim();
  return PLAIN.test(text) && !WORDS.has(text) ? (text.match(/[\w$]+/g) ?? []) : undefined;
}

/**
 * What a JavaScript expression yields, as JSON; with `return` in it, it is the body of a function. It sees `names` and nothing else, in an
 * interpreter of its own, and ends after half a second. With `reads` it may ask for variables and resources too; the interpreter cannot wait, so
 * it stops at what is not among them and says what that is: the caller reads it, and evaluates again.
 */
export async function evaluateExpression(
  expression: string,
  names: Readonly<Record<string, unknown>>,
  reads?: ReferenceValues,
): Promise<EvaluationResult> {
  const text = expression.trim();
  const parts = parsePlainPath(text);
  if (parts) {
    // What is inherited (`length` of a list, say) is the interpreter's to know.
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
    // An interpreter that has failed itself is not used again.
    engine = undefined;
    if (error instanceof RangeError || isTrap(error))
      return { ok: false, reason: "it exceeded the memory or stack limit of the interpreter." };
    throw error;
  }
}

/** `undefined`: a part is not an own property of what comes before it. */
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
    const said = context.getString(result.value);
    result.value.dispose();
    // No JSON begins like a reference.
    return said.startsWith("$")
      ? { ok: false, reason: `it reads ${said}.`, missingReference: said }
      : { ok: true, value: JSON.parse(said) };
  } finally {
    context.dispose();
    runtime.dispose();
  }
}

/**
 * The names are parameters of a function, so that the text can be any expression and its own names hide them; it sees nothing of what calls it.
 * What it asks for counts even where it catches the error.
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

/** A failure of WebAssembly itself. */
const isTrap = (error: unknown) => error instanceof Error && error.name === "RuntimeError";

/** One line, however it was thrown. */
function reasonOf(thrown: unknown): string {
  const { name, message } = (typeof thrown === "object" && thrown !== null ? thrown : {}) as { name?: unknown; message?: unknown };
  const text = typeof message === "string" ? `${typeof name === "string" ? name : "Error"}: ${message}` : JSON.stringify(thrown);
  return `${(text ?? "it threw nothing").replaceAll(/\s+/g, " ").slice(0, 300)}.`;
}
