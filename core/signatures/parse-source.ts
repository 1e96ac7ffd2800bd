import { normalizeSource } from "../builds/source-text.ts";
import { parseBashSignature } from "./bash/signature.ts";
import { parseGoSignature } from "./go.ts";
import type { Param, Signature } from "./parsed-signature.ts";
import { parsePythonSignature } from "./python/signature.ts";
import { accepts, nullable } from "./schema.ts";
import { parseTypescriptSignature } from "./typescript/signature.ts";

/** The parsers by the name that a manifest gives them. */
const parsers = {
  typescript: parseTypescriptSignature,
  python: parsePythonSignature,
  go: parseGoSignature,
  bash: parseBashSignature,
} satisfies Record<string, (content: string) => Signature>;
export type SignatureParser = keyof typeof parsers;

/** Parses a source by the name of its parser. Unlike `parseSignature`, it needs no table of languages, so that a page can use it. */
export function parseSource(parser: SignatureParser, content: string): Signature {
  const signature: Signature = parsers[parser](normalizeSource(content));
  return signature.ok ? { ...signature, params: signature.params.map(reconcileDefault) } : signature;
}

/** Makes the type of a parameter accept its default. A default whose type differs from the declared one is left to the script. */
function reconcileDefault(param: Param): Param {
  if (!("default" in param) || accepts(param.type, param.default)) return param;
  if (param.default === null) return { ...param, type: nullable(param.type) };
  const { default: _, ...rest } = param;
  return rest;
}

/** Returns the JSON Schema of the arguments, in the form that forms and the command line use. */
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
