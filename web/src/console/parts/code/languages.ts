import { StreamLanguage } from "@codemirror/language";
import type { Extension } from "@codemirror/state";

const isJavascript = /^(bun|bunnative|deno|nodejs|nativets|javascript|typescript)$/;

const typescriptLanguages = new Set(["bun", "bunnative", "deno", "nodejs", "nativets"]);

/** Returns whether scripts of a language are TypeScript. */
export const isTypescript = (language: string): boolean => typescriptLanguages.has(language);

/** Loads the grammar of a language. A language without one is shown as plain text. */
export async function loadGrammar(language: string): Promise<Extension> {
  if (isJavascript.test(language)) return (await import("@codemirror/lang-javascript")).javascript({ typescript: true });
  switch (language) {
    case "python3":
      return (await import("@codemirror/lang-python")).python();
    case "go":
      return (await import("@codemirror/lang-go")).go();
    case "json":
      return (await import("@codemirror/lang-json")).json();
    case "yaml":
      return (await import("@codemirror/lang-yaml")).yaml();
    case "bash":
      return StreamLanguage.define((await import("@codemirror/legacy-modes/mode/shell")).shell);
    default:
      return [];
  }
}
