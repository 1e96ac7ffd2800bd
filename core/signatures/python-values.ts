import type { SyntaxNode } from "@lezer/common";
import { MAX_DEPTH } from "./schema.ts";

/** The value of an expression that is not a literal, or that JSON cannot represent. */
export const NOT_LITERAL = Symbol("not a literal");

/** Returns the JSON value of a literal expression, or `NOT_LITERAL`. */
export function readPythonLiteral(node: SyntaxNode, source: string, depth = 0): unknown {
  if (depth > MAX_DEPTH) return NOT_LITERAL;
  const text = source.slice(node.from, node.to);
  switch (node.name) {
    case "String":
    case "ContinuedString":
      return readPythonString(node, source);
    case "Number": {
      const value = Number(text.replaceAll("_", ""));
      return Number.isFinite(value) ? value : NOT_LITERAL;
    }
    case "Boolean":
      return text === "True";
    case "None":
      return null;
    case "UnaryExpression": {
      const value = node.lastChild ? readPythonLiteral(node.lastChild, source, depth + 1) : NOT_LITERAL;
      return text.startsWith("-") && typeof value === "number" ? -value : NOT_LITERAL;
    }
    case "ArrayExpression":
    case "TupleExpression":
      return all(membersOf(node), source, depth);
    case "DictionaryExpression": {
      const values = all(membersOf(node), source, depth);
      if (!Array.isArray(values) || values.length % 2 !== 0) return NOT_LITERAL;
      const entries: [string, unknown][] = [];
      for (let at = 0; at < values.length; at += 2) {
        if (typeof values[at] !== "string") return NOT_LITERAL;
        entries.push([values[at] as string, values[at + 1]]);
      }
      return Object.fromEntries(entries);
    }
    default:
      return NOT_LITERAL;
  }
}

function all(nodes: SyntaxNode[], source: string, depth: number): unknown {
  const values = nodes.map((node) => readPythonLiteral(node, source, depth + 1));
  return values.includes(NOT_LITERAL) ? NOT_LITERAL : values;
}

function membersOf(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) {
    if (!["(", ")", "[", "]", "{", "}", ",", ":", "Comment"].includes(child.name)) found.push(child);
  }
  return found;
}

const ESCAPES: Record<string, string> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", v: "\v", "0": "\0", "\n": "" };

/** Returns the text of a string or of adjacent strings, or `NOT_LITERAL` for bytes and formatted strings. */
export function readPythonString(node: SyntaxNode, source: string): unknown {
  if (node.name === "ContinuedString") {
    const parts = membersOf(node).map((part) => (part.name === "String" ? readPythonString(part, source) : NOT_LITERAL));
    return parts.every((part) => typeof part === "string") ? parts.join("") : NOT_LITERAL;
  }
  const [, prefix = "", quote = "", body = ""] = /^([A-Za-z]*)("""|'''|"|')([\s\S]*)\2$/.exec(source.slice(node.from, node.to)) ?? [];
  if (quote === "" || /[bft]/i.test(prefix)) return NOT_LITERAL;
  if (/r/i.test(prefix)) return body;
  return body.replace(/\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([\s\S]))/g, (_, unicode, hex, plain) =>
    plain !== undefined ? (ESCAPES[plain] ?? plain) : String.fromCharCode(Number.parseInt(unicode ?? hex, 16)),
  );
}
