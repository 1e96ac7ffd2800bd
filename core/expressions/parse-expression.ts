import { type Node, type Options, parse, parseExpressionAt, tokenizer } from "acorn";

/** The names that an expression uses. */
export interface UsedNames {
  /** All identifiers that may refer to a name outside the expression. Keys, texts and comments do not count. */
  names: ReadonlySet<string>;
  /** The ids after `results`, or all, if the expression uses `results` in another way. */
  results: ReadonlySet<string> | "all";
}

/** `code`: the part of the text that was parsed, for example without a semicolon at its end. `isBody`: the text is a list of statements with a `return` outside nested functions. */
export type ParsedExpression = ({ ok: true; code: string; isBody: boolean } & UsedNames) | { ok: false; reason: string };

const OPTIONS: Options = { ecmaVersion: "latest", sourceType: "script", allowReturnOutsideFunction: true };

/** Parses an expression of a flow: one JavaScript expression, or else statements with a `return` that is not inside a nested function. */
export function parseExpression(text: string): ParsedExpression {
  try {
    const found = parseOneExpression(text);
    if ("node" in found) return { ok: true, code: text.slice(found.node.start, found.node.end), isBody: false, ...namesIn(found.node) };
    const body = attempt(() => parse(text, OPTIONS));
    if ("failed" in body) return { ok: false, reason: describe(text, body.failed.pos > found.failed.pos ? body.failed : found.failed) };
    if (!hasOwnReturn(body.node)) return { ok: false, reason: "SyntaxError: it is a list of statements without a return." };
    return { ok: true, code: text, isBody: true, ...namesIn(body.node) };
  } catch (error) {
    if (error instanceof RangeError) return { ok: false, reason: "it is nested too deeply." };
    throw error;
  }
}

interface Failure {
  message: string;
  /** The offset in the text. */
  pos: number;
}
type Attempt = { node: Node } | { failed: Failure };

function attempt(parseText: () => Node): Attempt {
  try {
    return { node: parseText() };
  } catch (error) {
    // The parser throws a SyntaxError with the offset. Any other error is not about the text.
    if (!(error instanceof SyntaxError) || !("pos" in error)) throw error;
    return { failed: { message: error.message.replace(/ \(\d+:\d+\)$/, ""), pos: Number(error.pos) } };
  }
}

/** Parses a text that is one expression. Only comments and semicolons may follow it. */
function parseOneExpression(text: string): Attempt {
  const found = attempt(() => parseExpressionAt(text, 0, { ...OPTIONS, preserveParens: true }));
  if ("failed" in found) return found;
  const { end } = found.node;
  const rest = attempt(() => {
    for (const token of tokenizer(text.slice(end), OPTIONS)) {
      if (token.type.label !== ";") throw Object.assign(new SyntaxError("Unexpected token"), { pos: token.start });
    }
    return found.node;
  });
  return "node" in rest ? rest : { failed: { ...rest.failed, pos: rest.failed.pos + end } };
}

function describe(text: string, { message, pos }: Failure): string {
  const lines = text.slice(0, pos).split("\n");
  return `SyntaxError: ${message} at line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1}.`;
}

/** A node of any type, with its fields. */
type AnyNode = Node & Record<string, unknown>;
const isNode = (value: unknown): value is AnyNode =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";

const childrenOf = (node: AnyNode): AnyNode[] => Object.values(node).flat().filter(isNode);

/** Nodes whose `return` is their own. */
const NESTED = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression", "StaticBlock"]);

function hasOwnReturn(node: Node): boolean {
  if (node.type === "ReturnStatement") return true;
  return !NESTED.has(node.type) && childrenOf(node as AnyNode).some(hasOwnReturn);
}

function namesIn(root: Node): UsedNames {
  const names = new Set<string>();
  const ids = new Set<string>();
  let all = false;
  const visit = (node: AnyNode): void => {
    const listed = idsOfResults(node);
    if (listed) {
      names.add("results");
      for (const id of listed) ids.add(id);
    } else if (node.type === "Identifier") {
      const name = String(node["name"]);
      names.add(name);
      // Code in a text that `eval` executes may use every name.
      if (name === "results" || name === "eval") all = true;
    } else for (const child of namedParts(node)) visit(child);
  };
  visit(root as AnyNode);
  return { names, results: all ? "all" : ids };
}

/** The parts of a node that contain names. A key is not a name, unless it is computed. */
function namedParts(node: AnyNode): AnyNode[] {
  if (node["computed"] === false) {
    if (node.type === "MemberExpression") return [node["object"]].filter(isNode);
    if (node.type === "Property" || node.type === "MethodDefinition" || node.type === "PropertyDefinition")
      return [node["value"]].filter(isNode);
  }
  return childrenOf(node);
}

/** The ids that a node reads from `results`: `results.a`, `results["a"]`, `const { a } = results`. `undefined` for any other node. */
function idsOfResults(node: AnyNode): string[] | undefined {
  if (node.type === "MemberExpression" && isResults(node["object"])) return oneOf(keyOf(node, "property"));
  if (node.type !== "VariableDeclarator" || !isResults(node["init"]) || (node["id"] as AnyNode).type !== "ObjectPattern") return undefined;
  const found: string[] = [];
  for (const property of (node["id"] as AnyNode)["properties"] as AnyNode[]) {
    // Other patterns in the position of a name may contain names as well.
    const id =
      property.type === "Property" && (property["value"] as AnyNode).type === "Identifier" ? oneOf(keyOf(property, "key")) : undefined;
    if (!id) return undefined;
    found.push(...id);
  }
  return found;
}

const isResults = (value: unknown): boolean => isNode(value) && value.type === "Identifier" && value["name"] === "results";
/** Methods of every object, such as `hasOwnProperty`, need all results. */
const oneOf = (key: string | undefined) => (key === undefined || key in Object.prototype ? undefined : [key]);

function keyOf(node: AnyNode, field: "property" | "key"): string | undefined {
  const key = node[field] as AnyNode;
  if (node["computed"] === false && key.type === "Identifier") return String(key["name"]);
  const { type, value } = key;
  const quasis = key["quasis"] as { value: { cooked: string } }[] | undefined;
  if (type === "TemplateLiteral" && quasis?.length === 1) return quasis[0]?.value.cooked;
  return type === "Literal" && typeof value === "string" ? value : undefined;
}
