import ts from "typescript";
import { defined } from "../../../../../contract/defined.ts";
import type { Description, TypeCompletion, TypeProblem, UnknownName } from "./question.ts";

const MOST_PROBLEMS = 100;
const MOST_CHARACTERS = 4_000;

/**
 * The numbers of problems that are none at run time: a module whose types are not here, which TypeScript then treats as `any`, and a type of
 * `Deno` or `Bun`, which are described in part.
 */
const UNKNOWN_HERE = new Set([2307, 2503, 2694, 2732, 2792, 7016]);

export function toProblems(found: readonly ts.Diagnostic[]): TypeProblem[] {
  return found
    .filter(({ code }) => !UNKNOWN_HERE.has(code))
    .slice(0, MOST_PROBLEMS)
    .map(({ start = 0, length = 0, category, messageText }) => ({
      from: start,
      to: start + length,
      severity: severityOf(category),
      // Packages cannot be installed from here.
      message: shorten(ts.flattenDiagnosticMessageText(messageText, "\n").replace(/ Do you need to .*/s, "")),
    }));
}

/** The numbers of the problems at a name that nothing declares. */
const UNDECLARED = new Set([2304, 2552]);
const MOST_UNKNOWN = 5;

/** Lists the first names that nothing declares. */
export const toUnknownNames = (found: readonly ts.Diagnostic[], text: string): UnknownName[] =>
  found
    .filter(({ code }) => UNDECLARED.has(code))
    .slice(0, MOST_UNKNOWN)
    .map(({ start = 0, length = 0 }) => ({ name: text.slice(start, start + length), at: start + length }));

function severityOf(category: ts.DiagnosticCategory): TypeProblem["severity"] {
  if (category === ts.DiagnosticCategory.Error) return "error";
  return category === ts.DiagnosticCategory.Warning ? "warning" : "info";
}

/** CodeMirror's types of completions, by TypeScript's kinds. */
const types: Readonly<Record<string, string>> = {
  [ts.ScriptElementKind.functionElement]: "function",
  [ts.ScriptElementKind.localFunctionElement]: "function",
  [ts.ScriptElementKind.memberFunctionElement]: "method",
  [ts.ScriptElementKind.memberVariableElement]: "property",
  [ts.ScriptElementKind.memberGetAccessorElement]: "property",
  [ts.ScriptElementKind.memberAccessorVariableElement]: "property",
  [ts.ScriptElementKind.classElement]: "class",
  [ts.ScriptElementKind.interfaceElement]: "interface",
  [ts.ScriptElementKind.typeElement]: "type",
  [ts.ScriptElementKind.primitiveType]: "type",
  [ts.ScriptElementKind.enumElement]: "enum",
  [ts.ScriptElementKind.moduleElement]: "namespace",
  [ts.ScriptElementKind.externalModuleName]: "namespace",
  [ts.ScriptElementKind.keyword]: "keyword",
  [ts.ScriptElementKind.string]: "text",
};

export function toCompletion({ name, kind, sortText, source }: ts.CompletionEntry): TypeCompletion {
  // TypeScript sorts by "10" for what is nearest to "18" for what is deprecated; 15 are globals and keywords.
  const boost = Math.max(-3, Math.min(5, 15 - (Number.parseInt(sortText, 10) || 15)));
  // TypeScript finds other scripts in our folder for them.
  const module = source?.replace(/^\.\/scripts\//, "/");
  return { label: name, type: types[kind] ?? "variable", boost, ...defined({ module }) };
}

export function toDescription(found: Pick<ts.QuickInfo, "displayParts" | "documentation" | "tags">): Description {
  const tags = (found.tags ?? [])
    .filter(({ name }) => name !== "example" && name !== "since" && name !== "see")
    .map(({ name, text }) => `@${name} ${ts.displayPartsToString(text)}`);
  const text = [ts.displayPartsToString(found.documentation), ...tags].filter((part) => part !== "").join("\n");
  const signature = ts
    .displayPartsToString(found.displayParts)
    .replace(/^\(alias\) /, "")
    .replace(/\n(import|export) [^\n]*$/, "");
  return { signature: shorten(signature), text: shorten(text) };
}

export const shorten = (text: string): string => (text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text);
