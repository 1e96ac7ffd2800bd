import type { SyntaxNode } from "@lezer/common";
import { MAX_DEPTH } from "../schema.ts";
import { NOT_LITERAL, readLiteral, readQuotedText, type TypescriptText } from "./values.ts";

/** The maximum length of the value of a member. A longer one is unknown. */
const MAX_TEXT_CHARS = 10_000;

/**
 * Returns the values of an enum by the names of its members. A member without a value continues the number before it. `NOT_LITERAL`: the value is
 * known only at run time.
 */
export function readEnum(name: string, declaration: SyntaxNode, module: TypescriptText): Map<string, unknown> {
  const members = new Map<string, unknown>();
  let member: string | undefined;
  let next: unknown = 0;
  const add = (key: string, evaluated: unknown) => {
    // Members that refer to each other could double a text with each member.
    const value = typeof evaluated === "string" && evaluated.length > MAX_TEXT_CHARS ? NOT_LITERAL : evaluated;
    members.set(key, value);
    next = typeof value === "number" ? value + 1 : NOT_LITERAL;
  };
  for (let child = declaration.getChild("EnumBody")?.firstChild; child; child = child.nextSibling) {
    // The parser does not support every notation of a name.
    if (child.type.isError) members.set("", NOT_LITERAL);
    if (child.name === "PropertyName") {
      member = nameOf(module.text(child));
      add(member, next);
    } else if (child.prevSibling?.name === "Equals" && member !== undefined) {
      members.delete(member);
      add(member, evaluate(child, { name, members, module }, 0));
    }
  }
  return members;
}

/** A name may be quoted: `a`, `"a-b"`, `["a-b"]`. */
const nameOf = (text: string): string => (/^["'[]/.test(text) ? readQuotedText(text.replace(/^\[\s*|\s*\]$/g, "")) : text);

interface Scope {
  name: string;
  members: Map<string, unknown>;
  module: TypescriptText;
}

const OPERATORS: Readonly<Record<string, (a: number, b: number) => number>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
  "**": (a, b) => a ** b,
  "<<": (a, b) => a << b,
  ">>": (a, b) => a >> b,
  ">>>": (a, b) => a >>> b,
  "|": (a, b) => a | b,
  "&": (a, b) => a & b,
  "^": (a, b) => a ^ b,
};

/** Evaluates the constant expressions that an enum may contain. */
function evaluate(node: SyntaxNode, scope: Scope, depth: number): unknown {
  if (depth > MAX_DEPTH) return NOT_LITERAL;
  const { module, members, name } = scope;
  const inner = (child: SyntaxNode | null | undefined) => (child ? evaluate(child, scope, depth + 1) : NOT_LITERAL);
  switch (node.name) {
    case "ParenthesizedExpression":
      return inner(node.firstChild?.nextSibling);
    case "UnaryExpression": {
      const value = inner(node.lastChild);
      const operator = module.text(node)[0];
      if (typeof value !== "number") return NOT_LITERAL;
      return operator === "-" ? -value : operator === "~" ? ~value : operator === "+" ? value : NOT_LITERAL;
    }
    case "BinaryExpression": {
      const [left, right] = [inner(node.firstChild), inner(node.lastChild)];
      const operator = node.firstChild?.nextSibling ? module.text(node.firstChild.nextSibling) : "";
      if (typeof left === "number" && typeof right === "number") return OPERATORS[operator]?.(left, right) ?? NOT_LITERAL;
      const isText = operator === "+" && [left, right].every((value) => typeof value === "string" || typeof value === "number");
      return isText ? `${left}${right}` : NOT_LITERAL;
    }
    case "TemplateString":
      return evaluateTemplate(node, inner, scope);
    case "VariableName":
      return members.has(module.text(node)) ? members.get(module.text(node)) : readLiteral(node, module);
    case "MemberExpression": {
      const property = node.getChild("PropertyName");
      const isOwn = node.firstChild && module.text(node.firstChild) === name && property;
      return isOwn ? (members.get(module.text(property)) ?? NOT_LITERAL) : readLiteral(node, module);
    }
    default:
      return readLiteral(node, module);
  }
}

function evaluateTemplate(node: SyntaxNode, inner: (child: SyntaxNode | null | undefined) => unknown, { module }: Scope): unknown {
  const interpolations = node.getChildren("Interpolation");
  if (interpolations.length === 0) return readLiteral(node, module);
  // An escape between interpolations is too rare to read.
  if (module.text(node).includes("\\")) return NOT_LITERAL;
  let text = "";
  let at = node.from + 1;
  for (const interpolation of interpolations) {
    const value = inner(interpolation.firstChild?.nextSibling);
    if (typeof value !== "string" && typeof value !== "number") return NOT_LITERAL;
    text += module.source.slice(at, interpolation.from) + value;
    at = interpolation.to;
  }
  return text + module.source.slice(at, node.to - 1);
}
