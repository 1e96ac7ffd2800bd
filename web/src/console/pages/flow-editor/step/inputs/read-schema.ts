import { parseSource, type SignatureParser, toArgumentsSchema } from "../../../../../../../core/signatures/parse-source.ts";

/** Returns the parser of a language, or undefined if its parameters cannot be read. */
function parserOf(language: string): SignatureParser | undefined {
  if (/^(bun|bunnative|deno|nodejs|nativets)$/.test(language)) return "typescript";
  if (language === "python3") return "python";
  return language === "go" || language === "bash" ? language : undefined;
}

/** Reads the inputs of inline code as the service does. The code is parsed and not run. */
export function readSchema(language: string, content: string): Record<string, unknown> | undefined {
  const parser = parserOf(language);
  const signature = parser && parseSource(parser, content);
  return signature?.ok && signature.hasMain ? toArgumentsSchema(signature) : undefined;
}
