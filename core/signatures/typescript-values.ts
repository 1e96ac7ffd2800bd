import type { SyntaxNode } from "@lezer/common";
import { MAX_DEPTH } from "./schema.ts";

/** The value of an expression that is not a literal. */
export const NOT_LITERAL = Symbol("not a literal");

/** Returns the JSON value of a literal expression, or `NOT_LITERAL`. The value of `undefined` is `undefined`. */
export function readLiteral(node: SyntaxNode, source: string, depth = 0): unknown {
  if (depth > MAX_DEPTH) return NOT_LITERAL;
  const text = source.slice(node.from, node.to);
  switch (node.name) {
    case "String":
      return readStringText(node, source);
    case "TemplateString":
      return node.getChild("Interpolation") ? NOT_LITERAL : unescaped(text.slice(1, -1));
    case "Number":
      return numberOf(text);
    case "BooleanLiteral":
      return text === "true";
    case "null":
      return null;
    case "VariableName":
      return text === "undefined" ? undefined : NOT_LITERAL;
    case "UnaryExpression": {
      const value = node.lastChild ? readLiteral(node.lastChild, source, depth + 1) : NOT_LITERAL;
      return text.startsWith("-") && typeof value === "number" ? -value : NOT_LITERAL;
    }
    case "ParenthesizedExpression": {
      const inner = node.firstChild?.nextSibling;
      return inner ? readLiteral(inner, source, depth + 1) : NOT_LITERAL;
    }
    case "BinaryExpression": {
      // `[] as string[]`, `{} satisfies Options`
      const isCast = node.getChild("as") !== null || node.getChild("satisfies") !== null;
      return isCast && node.firstChild ? readLiteral(node.firstChild, source, depth + 1) : NOT_LITERAL;
    }
    case "ArrayExpression":
      return arrayOf(node, source, depth);
    case "ObjectExpression":
      return objectValueOf(node, source, depth);
    default:
      return NOT_LITERAL;
  }
}

function arrayOf(node: SyntaxNode, source: string, depth: number): unknown {
  const values: unknown[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) {
    if (["[", "]", ",", "LineComment", "BlockComment"].includes(child.name)) continue;
    const value = readLiteral(child, source, depth + 1);
    if (value === NOT_LITERAL || value === undefined) return NOT_LITERAL;
    values.push(value);
  }
  return values;
}

function objectValueOf(node: SyntaxNode, source: string, depth: number): unknown {
  const entries: [string, unknown][] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) {
    if (["{", "}", ",", "LineComment", "BlockComment"].includes(child.name)) continue;
    const key = child.name === "Property" ? child.firstChild : null;
    const valueNode = key?.nextSibling?.name === ":" ? key.nextSibling.nextSibling : null;
    if (!key || !valueNode) return NOT_LITERAL;
    const value = readLiteral(valueNode, source, depth + 1);
    if (value === NOT_LITERAL) return NOT_LITERAL;
    if (value !== undefined) entries.push([key.name === "String" ? readStringText(key, source) : source.slice(key.from, key.to), value]);
  }
  return Object.fromEntries(entries);
}

function numberOf(text: string): unknown {
  const value = Number(text.replaceAll("_", ""));
  return Number.isFinite(value) ? value : NOT_LITERAL;
}

/** Returns the text of a string literal. */
export function readStringText(node: SyntaxNode, source: string): string {
  return unescaped(source.slice(node.from + 1, node.to - 1));
}

const ESCAPES: Record<string, string> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", v: "\v", "0": "\0", "\n": "" };

function unescaped(text: string): string {
  return text.replace(
    /\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([\s\S]))/g,
    (whole, braced, unicode, hex, plain) => {
      if (plain !== undefined) return ESCAPES[plain] ?? plain;
      const code = Number.parseInt(braced ?? unicode ?? hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
