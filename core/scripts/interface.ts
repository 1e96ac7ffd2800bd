import { manifestOf, runnerFor, type ScriptLanguage } from "../../contract/languages.ts";
import { parseSignature, toArgumentsSchema } from "../signatures/signature.ts";

/** How a script's entrypoint is called, read from its source. `params` is `null` when it could not be read. */
export interface ScriptInterface {
  params: string[] | null;
  paramTypes?: Record<string, "date" | "bytes">;
  inferredSchema?: Record<string, unknown>;
  /** It has a function that makes the arguments out of a webhook's request. */
  preprocessor?: { params: string[] | null };
}

/** Reads from its source how a script is called. Never throws: `params` is `null` for a source that cannot be parsed. */
export function readScriptInterface(language: ScriptLanguage, content: string): ScriptInterface {
  const signature = parseSignature(language, content);
  if (!signature.ok) return { params: null };
  const runner = runnerFor(language, content);
  const preprocesses = signature.hasPreprocessor && runner !== undefined && manifestOf(runner).preprocessor;
  const before = preprocesses ? { preprocessor: { params: signature.preprocessorParams } } : {};
  if (!signature.hasMain) return { params: null, ...before };
  // `main({ a, b })` and `main(...all)` are not called name by name: the wrapper looks at the function itself.
  const byName = !signature.destructured && !signature.variadic;
  return {
    params: byName ? signature.params.map(({ name }) => name) : null,
    ...(Object.keys(signature.paramTypes).length > 0 ? { paramTypes: signature.paramTypes } : {}),
    inferredSchema: toArgumentsSchema(signature),
    ...before,
  };
}
