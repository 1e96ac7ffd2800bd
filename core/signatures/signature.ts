import { manifestFor, type RunnerManifest, type ScriptLanguage } from "../../contract/languages.ts";
import { parseBashSignature } from "./bash.ts";
import { parseGoSignature } from "./go.ts";
import { parsePythonSignature } from "./python.ts";
import type { Schema } from "./schema.ts";
import { parseTypescriptSignature } from "./typescript.ts";

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

/** The parsers by the name that a manifest gives them. */
const parsers: Record<Exclude<RunnerManifest["signature"], "none">, (content: string) => Signature> = {
  typescript: parseTypescriptSignature,
  python: parsePythonSignature,
  go: parseGoSignature,
  bash: parseBashSignature,
};

/**
 * Parses the signature of a script's `main` from its source without executing it. Never throws: broken source yields the parts that can be
 * parsed. `ok: false` means that the parameters of this language cannot be read.
 */
export function parseSignature(language: ScriptLanguage, content: string): Signature {
  const parser = manifestFor(language)?.signature ?? "none";
  if (parser === "none") return { ok: false, error: `The parameters of ${language} scripts cannot be read.` };
  return parsers[parser](content);
}

/** The signature as the JSON Schema of the arguments, in the form that forms and the command line use. */
export function toArgumentsSchema(signature: Signature): Record<string, unknown> {
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
