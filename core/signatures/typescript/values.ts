import type { SyntaxNode } from "@lezer/common";
import { MAX_DEPTH } from "../schema.ts";

/** The value of an expression that is not a literal. */
export const NOT_LITERAL = Symbol("not a literal");

/** A file to which nodes belong, with the values of its names. */
export interface TypescriptText {
  source: string;
  text(node: SyntaxNode): string;
  /** Returns the value of a name or of a member of an enum, or `NOT_LITERAL`. */
  resolve(node: SyntaxNode, depth: number): unknown;
}

/** Returns the JSON value of an expression of literals, constants and members of enums, or `NOT_LITERAL`. The value of `undefined` is `undefined`. */
export function readLiteral(node: SyntaxNode, module: TypescriptText, depth = 0): unknown {
  if (depth > MAX_DEPTH) return NOT_LITERAL;
  const { source } = module;
  const text = module.text(node);
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
      return text === "undefined" ? undefined : module.resolve(node, depth + 1);
    case "MemberExpression":
      return module.resolve(node, depth + 1);
    case "UnaryExpression": {
      const value = node.lastChild ? readLiteral(node.lastChild, module, depth + 1) : NOT_LITERAL;
      if (typeof value !== "number" || !/^[-+]/.test(text)) return NOT_LITERAL;
      return text.startsWith("-") ? -value : value;
    }
    case "ParenthesizedExpression": {
      const inner = node.firstChild?.nextSibling;
      return inner ? readLiteral(inner, module, depth + 1) : NOT_LITERAL;
    }
    case "BinaryExpression": {
      // `[] as string[]`, `{} satisfies Options`
      const isCast = node.getChild("as") !== null || node.getChild("satisfies") !== null;
      return isCast && node.firstChild ? readLiteral(node.firstChild, module, depth + 1) : NOT_LITERAL;
    }
    case "ArrayExpression":
      return arrayOf(node, module, depth);
    case "ObjectExpression":
      return objectValueOf(node, module, depth);
    default:
      return NOT_LITERAL;
  }
}

function arrayOf(node: SyntaxNode, module: TypescriptText, depth: number): unknown {
  const values: unknown[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) {
    if (["[", "]", ",", "LineComment", "BlockComment"].includes(child.name)) continue;
    const value = readLiteral(child, module, depth + 1);
    if (value === NOT_LITERAL || value === undefined) return NOT_LITERAL;
    values.push(value);
  }
  return values;
}

function objectValueOf(node: SyntaxNode, module: TypescriptText, depth: number): unknown {
  const entries: [string, unknown][] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) {
    if (["{", "}", ",", "LineComment", "BlockComment"].includes(child.name)) continue;
    const key = child.name === "Property" ? child.firstChild : null;
    const valueNode = key?.nextSibling?.name === ":" ? key.nextSibling.nextSibling : null;
    if (!key || !valueNode) return NOT_LITERAL;
    const value = readLiteral(valueNode, module, depth + 1);
    if (value === NOT_LITERAL) return NOT_LITERAL;
    const name =
      key.name === "String" ? readStringText(key, module.source) : key.name === "PropertyDefinition" ? module.text(key) : undefined;
    if (name === undefined) return NOT_LITERAL;
    if (value !== undefined) entries.push([name, value]);
  }
  return Object.fromEntries(entries);
}

function numberOf(text: string): unknown {
  const value = Number(text.replaceAll("_", ""));
  return Number.isFinite(value) ? value : NOT_LITERAL;
}

/** Returns the text of a string literal. */
export function readStringText(node: SyntaxNode, source: string): string {
  return readQuotedText(source.slice(node.from, node.to));
}

export const readQuotedText = (quoted: string): string => unescaped(quoted.slice(1, -1));

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
