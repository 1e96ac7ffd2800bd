import { type RunnerLanguage, runnerFor, type ScriptLanguage } from "../../contract/languages.ts";
import { schemaOf, signatureOf } from "../signatures/signature.ts";

/** How a script's entrypoint is called, read from its source. `params` is `null` when it could not be read. */
export interface ScriptInterface {
  params: string[] | null;
  paramTypes?: Record<string, "date" | "bytes">;
  inferredSchema?: Record<string, unknown>;
  /** It has a function that makes the arguments out of a webhook's request. */
  preprocessor?: { params: string[] | null };
}

/** In these a script's two functions run one after the other in one process. */
const PREPROCESSED: readonly (RunnerLanguage | undefined)[] = ["bun", "deno", "nodejs", "python3"];

export function interfaceOf(language: ScriptLanguage, content: string): ScriptInterface {
  const signature = signatureOf(language, content);
  if (!signature.ok) return { params: null };
  const preprocesses = signature.hasPreprocessor && PREPROCESSED.includes(runnerFor(language, content));
  const before = preprocesses ? { preprocessor: { params: signature.preprocessorParams } } : {};
  if (!signature.hasMain) return { params: null, ...before };
  // `main({ a, b })` and `main(...all)` are not called name by name: the wrapper looks at the function itself.
  const byName = !signature.destructured && !signature.variadic;
  return {
    params: byName ? signature.params.map(({ name }) => name) : null,
    ...(Object.keys(signature.paramTypes).length > 0 ? { paramTypes: signature.paramTypes } : {}),
    inferredSchema: schemaOf(signature),
    ...before,
  };
}
