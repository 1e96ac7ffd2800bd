import type { ScriptLanguage } from "../../contract/languages.ts";
import { bashSignature } from "./bash.ts";
import { goSignature } from "./go.ts";
import { pythonSignature } from "./python.ts";
import type { Schema } from "./schema.ts";
import { typescriptSignature } from "./typescript.ts";

export interface Param {
  name: string;
  type: Schema;
  /** The source gives it a default, though perhaps none that can be written as JSON. */
  hasDefault: boolean;
  /** The default, when it is a literal. */
  default?: unknown;
  /** A call without it is a mistake. */
  required: boolean;
  doc?: string;
}

export interface ParsedSignature {
  ok: true;
  /** Of `main`; empty without one. */
  params: Param[];
  hasMain: boolean;
  hasPreprocessor: boolean;
  /** Names of the preprocessor's parameters; `null` where it is not called name by name, or there is none. */
  preprocessorParams: string[] | null;
  /** Takes more than its `params`: `**kwargs` in Python, `...rest` in TypeScript and Go, where the last param is the list of the rest. */
  variadic: boolean;
  /** TypeScript's `main({ a, b })`: `params` are what it takes apart, and it is called with one object of all of them. */
  destructured: boolean;
  /** Params that the TypeScript wrapper makes values of, which JSON does not have: a Date of a text, a Uint8Array of base64. */
  paramTypes: Record<string, "date" | "bytes">;
  docs?: string;
}

export type Signature = ParsedSignature | { ok: false; error: string };

/**
 * Reads the signature of a script's `main` from its text. Nothing of the script runs, and it never throws: broken source gives what can be
 * made out of it. `ok: false` is for languages in which a script has no parameters to be found.
 */
export function signatureOf(language: ScriptLanguage, content: string): Signature {
  switch (language) {
    case "bun":
    case "bunnative":
    case "deno":
    case "nativets":
    case "nodejs":
      return typescriptSignature(content);
    case "python3":
      return pythonSignature(content);
    case "go":
      return goSignature(content);
    case "bash":
      return bashSignature(content);
    default:
      return { ok: false, error: `The parameters of ${language} scripts are not read.` };
  }
}

/** The signature as the JSON Schema of the arguments, in the form that forms and the command line use. */
export function schemaOf(signature: Signature): Record<string, unknown> {
  const params = signature.ok ? signature.params : [];
  const properties = params.map(({ name, type, doc, hasDefault, default: value }) => {
    const described = {
      ...type,
      ...(doc !== undefined && { description: doc }),
      ...(hasDefault && value !== undefined && { default: value }),
    };
    return [name, described] as const;
  });
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: Object.fromEntries(properties),
    required: params.filter(({ required }) => required).map(({ name }) => name),
    order: params.map(({ name }) => name),
  };
}
