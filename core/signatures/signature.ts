import { findManifest, type RunnerManifest, type ScriptLanguage } from "../../contract/languages.ts";
import { parseBashSignature } from "./bash.ts";
import { parseGoSignature } from "./go.ts";
import type { Signature } from "./parsed-signature.ts";
import { parsePythonSignature } from "./python.ts";
import { parseTypescriptSignature } from "./typescript.ts";

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
  const parser = findManifest(language)?.signature ?? "none";
  if (parser === "none") return { ok: false, error: `The parameters of ${language} scripts cannot be read.` };
  return parsers[parser](content);
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
