import type { ClientFunction } from "./client-functions.ts";

/** A text to put into an otherwise unchanged text. */
export interface Insertion {
  from: number;
  insert: string;
}

const LEADING_COMMENTS = /^(?:(?:#|\/\/).*\n|[ \t]*\n)*/;

/** Returns what imports our client, or a function of it in TypeScript. Returns `undefined` if the text imports it already. */
export function findClientImport(language: string, text: string, name: string): Insertion | undefined {
  switch (language) {
    case "python3":
      return findPythonImport(text);
    case "go":
      return findGoImport(text);
    default:
      return findTypescriptImport(text, name);
  }
}

function findTypescriptImport(text: string, name: string): Insertion | undefined {
  const imported = /^import\s*\{([^}]*)\}\s*from\s*["']svc-client["']/m.exec(text);
  const names = imported?.[1] ?? "";
  if (names.split(",").some((each) => each.trim() === name)) return undefined;
  if (imported && names.trim() !== "") return { from: imported.index + imported[0].indexOf("{") + 1, insert: ` ${name},` };
  return { from: lengthOf(LEADING_COMMENTS, text), insert: `import { ${name} } from "svc-client";\n` };
}

function findPythonImport(text: string): Insertion | undefined {
  if (/^import svc[ \t]*(?:#.*)?$/m.test(text)) return undefined;
  const future = /^from __future__ .*\n/m.exec(text);
  const first = /^(?:import|from) /m.exec(text);
  const from = future ? future.index + future[0].length : (first?.index ?? lengthOf(LEADING_COMMENTS, text));
  return { from, insert: future || first ? "import svc\n" : "import svc\n\n" };
}

function findGoImport(text: string): Insertion | undefined {
  if (/^\s*(?:import\s+)?svc\s+"svc-client"/m.test(text)) return undefined;
  const group = /^import \([ \t]*\n/m.exec(text);
  if (group) return { from: group.index + group[0].length, insert: '\tsvc "svc-client"\n' };
  const named = /^package .*\n/m.exec(text);
  return { from: named ? named.index + named[0].length : 0, insert: '\nimport svc "svc-client"\n' };
}

const lengthOf = (pattern: RegExp, text: string): number => pattern.exec(text)?.[0].length ?? 0;

/** Returns the call of a function with its necessary parameters, as a snippet: Tab goes from one to the next. */
export function callOf(language: string, { name, signature }: ClientFunction): string {
  const called = `${name}(${listNecessary(signature).map(toField).join(", ")})`;
  if (language === "python3" || language === "go") return `svc.${called}`;
  return signature.includes("): Promise<") ? `await ${called}` : called;
}

const toField = (name: string) => `#{${name}}`;

/** Lists the parameters without a default, which are the first ones. */
function listNecessary(signature: string): string[] {
  const names: string[] = [];
  for (const parameter of splitParameters(signature)) {
    const [, name = "", next = ""] = /^\s*(\w+)\s*(.?)/.exec(parameter) ?? [];
    if (name === "" || next === "?" || parameter.includes("...") || /[^=!<>]=[^=>]/.test(parameter)) break;
    names.push(name);
  }
  return names;
}

/** Splits the parameters at the commas outside of inner brackets. */
function splitParameters(signature: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const char of signature.slice(signature.indexOf("(") + 1)) {
    if ("([{<".includes(char)) depth++;
    else if (")]}>".includes(char) && --depth < 0) break;
    if (char === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += char;
  }
  return parts;
}
