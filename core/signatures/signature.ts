import { findManifest, type ScriptLanguage } from "../../contract/languages.ts";
import { parseSource } from "./parse-source.ts";
import type { Signature } from "./parsed-signature.ts";

/**
 * Parses the signature of a script's `main` from its source without executing it. Never throws: broken source yields the parts that can be
 * parsed. `ok: false` means that the parameters of this language cannot be read.
 */
export function parseSignature(language: ScriptLanguage, content: string): Signature {
  const parser = findManifest(language)?.signature ?? "none";
  if (parser === "none") return { ok: false, error: `The parameters of ${language} scripts cannot be read.` };
  return parseSource(parser, content);
}
