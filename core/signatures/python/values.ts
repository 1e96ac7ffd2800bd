import type { SyntaxNode } from "@lezer/common";
import { MAX_DEPTH } from "../schema.ts";
import { membersOf, type PythonText } from "./syntax.ts";

/** The value of an expression that is known only at run time, or that JSON cannot represent. */
export const NOT_LITERAL = Symbol("not a literal");

/** Returns the JSON value of an expression of literals, constants and members of enums, or `NOT_LITERAL`. */
export function readPythonLiteral(node: SyntaxNode, module: PythonText, depth = 0): unknown {
  if (depth > MAX_DEPTH) return NOT_LITERAL;
  const text = module.text(node);
  switch (node.name) {
    case "String":
    case "ContinuedString":
      return readPythonString(node, module);
    case "Number":
      return readNumber(text);
    case "Boolean":
      return text === "True";
    case "None":
      return null;
    case "UnaryExpression": {
      const value = node.lastChild ? readPythonLiteral(node.lastChild, module, depth + 1) : NOT_LITERAL;
      if (typeof value !== "number" || !/^[-+]/.test(text)) return NOT_LITERAL;
      return text.startsWith("-") ? -value : value;
    }
    case "ParenthesizedExpression": {
      const [inner] = membersOf(node);
      return inner ? readPythonLiteral(inner, module, depth + 1) : NOT_LITERAL;
    }
    case "ArrayExpression":
    case "TupleExpression":
      return all(membersOf(node), module, depth);
    case "DictionaryExpression": {
      const values = all(membersOf(node), module, depth);
      if (!Array.isArray(values) || values.length % 2 !== 0) return NOT_LITERAL;
      const entries: [string, unknown][] = [];
      for (let at = 0; at < values.length; at += 2) {
        if (typeof values[at] !== "string") return NOT_LITERAL;
        entries.push([values[at] as string, values[at + 1]]);
      }
      return Object.fromEntries(entries);
    }
    case "VariableName":
    case "MemberExpression":
    case "CallExpression":
      return module.resolve(node, depth + 1);
    default:
      return NOT_LITERAL;
  }
}

/** Returns whether the text of a literal is an integer of Python, which distinguishes integers from other numbers. */
export function isPythonInteger(text: string): boolean {
  return /^[-+\s(]*(0[xob][\da-f_]+|[\d_]+)[\s)]*$/i.test(text);
}

/** Returns `NOT_LITERAL` for a complex number and for an integer that JavaScript would round. */
function readNumber(text: string): unknown {
  const value = Number(text.replaceAll("_", ""));
  return !Number.isFinite(value) || (isPythonInteger(text) && !Number.isSafeInteger(value)) ? NOT_LITERAL : value;
}

function all(nodes: SyntaxNode[], module: PythonText, depth: number): unknown {
  const values = nodes.map((node) => readPythonLiteral(node, module, depth + 1));
  return values.includes(NOT_LITERAL) ? NOT_LITERAL : values;
}

const ESCAPES: Record<string, string> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", v: "\v", a: "\x07", "\n": "" };
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|([0-7]{1,3})|([\s\S]))/g;

/** Returns the text of a string or of adjacent strings, or `NOT_LITERAL` for bytes, formatted strings and characters by name. */
export function readPythonString(node: SyntaxNode, module: Pick<PythonText, "text">): unknown {
  if (node.name === "ContinuedString") {
    const parts = membersOf(node).map((part) => (part.name === "String" ? readPythonString(part, module) : NOT_LITERAL));
    return parts.every((part) => typeof part === "string") ? parts.join("") : NOT_LITERAL;
  }
  const [, prefix = "", quote = "", body = ""] = /^([A-Za-z]*)("""|'''|"|')([\s\S]*)\2$/.exec(module.text(node)) ?? [];
  if (quote === "" || /[bft]/i.test(prefix)) return NOT_LITERAL;
  if (/r/i.test(prefix)) return body;
  if (/(^|[^\\])(\\\\)*\\N\{/.test(body)) return NOT_LITERAL;
  return body.replace(ESCAPE, (whole, short, long, hex, octal, plain) => {
    // A backslash that begins no escape is part of the text.
    if (plain !== undefined) return ESCAPES[plain] ?? (plain === "\\" || plain === '"' || plain === "'" ? plain : whole);
    const code = octal === undefined ? Number.parseInt(short ?? long ?? hex, 16) : Number.parseInt(octal, 8);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
