import { findRunner, getManifest, type ScriptLanguage } from "../../contract/languages.ts";
import type { ParamTypes } from "../../runners/protocol.ts";
import { toArgumentsSchema } from "../signatures/parse-source.ts";
import { parseSignature } from "../signatures/signature.ts";

/** The signature of a script's entrypoint, read from its source. `params` is `null` if it cannot be read. */
export interface ScriptInterface {
  params: string[] | null;
  paramTypes?: ParamTypes;
  inferredSchema?: Record<string, unknown>;
  /** The script has a preprocessor, which converts a webhook's request to arguments. */
  preprocessor?: { params: string[] | null };
}

/** Reads the interface of a script from its source. Never throws: `params` is `null` for a source that cannot be parsed. */
export function readScriptInterface(language: ScriptLanguage, content: string): ScriptInterface {
  const signature = parseSignature(language, content);
  if (!signature.ok) return { params: null };
  const runner = findRunner(language, content);
  const preprocesses = signature.hasPreprocessor && runner !== undefined && getManifest(runner).preprocessor;
  const before = preprocesses ? { preprocessor: { params: signature.preprocessorParams } } : {};
  if (!signature.hasMain) return { params: null, ...before };
  // The wrapper inspects the function itself for `main({ a, b })` and `main(...all)`, which have no parameters by name.
  const byName = !signature.destructured && !signature.variadic;
  return {
    params: byName ? signature.params.map(({ name }) => name) : null,
    ...(Object.keys(signature.paramTypes).length > 0 ? { paramTypes: signature.paramTypes } : {}),
    inferredSchema: toArgumentsSchema(signature),
    ...before,
  };
}
