import type { SyntaxNode } from "@lezer/common";
import { MAX_DEPTH } from "../schema.ts";
import type { TypescriptModule } from "./module.ts";

/** A function whose parameters the source shows. */
export interface Callable {
  params: SyntaxNode | null;
  /** The statement whose preceding comment documents the function. */
  statement: SyntaxNode;
  /** The number of arguments that `bind` supplies. */
  bound: number;
  /** The type of a variable may add to the types of the parameters. */
  isTyped: boolean;
  typeParameters: string[];
}

/**
 * Finds an exported function: a declaration, a function in a variable, another name of a function, or what a call returns that receives one
 * function, as in `export const main = retry(async (id: string) => …)`. Wrappers pass their arguments on.
 */
export function findCallable(module: TypescriptModule, exported: string): Callable | undefined {
  const local = module.exported.get(exported);
  const declared = local === undefined ? undefined : module.values.get(local);
  const found = local === undefined ? undefined : callableOf(local, module, 0, new Map());
  // The exported name has the comment, even if it is another name of a function.
  return found && declared ? { ...found, statement: isDocumented(declared.statement) ? declared.statement : found.statement } : found;
}

const NO_FUNCTIONS = /^(String|Number|TemplateString|BooleanLiteral|ObjectExpression|ArrayExpression|ClassExpression|RegExp|null)$/;

/** Returns whether an exported name may be a function although its parameters cannot be read. */
export function mayBeFunction(module: TypescriptModule, exported: string): boolean {
  const local = module.exported.get(exported);
  const declared = local === undefined ? undefined : module.values.get(local);
  return declared !== undefined && !NO_FUNCTIONS.test(declared.node.name);
}

function isDocumented(statement: SyntaxNode): boolean {
  return statement.prevSibling?.name === "BlockComment";
}

/** The functions of names that were already resolved, because several calls may receive the same function. */
type KnownCallables = Map<string, Callable | undefined>;

function callableOf(name: string, module: TypescriptModule, depth: number, callables: KnownCallables): Callable | undefined {
  const declared = module.values.get(name);
  if (!declared || depth > MAX_DEPTH) return;
  if (!callables.has(name)) {
    // Breaks the cycle of a name that refers to itself.
    callables.set(name, undefined);
    const found = callableIn(declared.node, { statement: declared.statement, module, callables }, depth);
    callables.set(name, found && { ...found, isTyped: found.isTyped || declared.isTyped });
  }
  return callables.get(name);
}

interface CallablePlace {
  statement: SyntaxNode;
  module: TypescriptModule;
  callables: KnownCallables;
}

function callableIn(node: SyntaxNode, context: CallablePlace, depth: number): Callable | undefined {
  if (depth > MAX_DEPTH) return;
  const { statement, module, callables } = context;
  const inner = (child: SyntaxNode | null | undefined) => (child ? callableIn(child, context, depth + 1) : undefined);
  switch (node.name) {
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunction": {
      const typeParameters = node.getChild("TypeParamList")?.getChildren("TypeDefinition") ?? [];
      return {
        params: node.getChild("ParamList"),
        statement,
        bound: 0,
        isTyped: false,
        typeParameters: typeParameters.map((parameter) => module.text(parameter)),
      };
    }
    case "VariableName":
      return callableOf(module.text(node), module, depth + 1, callables);
    case "ParenthesizedExpression":
      return inner(node.firstChild?.nextSibling);
    case "PostfixExpression":
      return inner(node.firstChild);
    case "PrefixCast":
    case "BinaryExpression": {
      const isCast = node.name === "PrefixCast" || node.getChild("as") || node.getChild("satisfies");
      const found = isCast ? inner(node.name === "PrefixCast" ? node.lastChild : node.firstChild) : undefined;
      return found && { ...found, isTyped: true };
    }
    case "CallExpression":
      return resultOf(node, module, inner);
    default:
      return;
  }
}

/** Returns the function that a call passes on. With several functions, or none, the function is known only at run time. */
function resultOf(
  call: SyntaxNode,
  module: TypescriptModule,
  inner: (node: SyntaxNode | null | undefined) => Callable | undefined,
): Callable | undefined {
  const callee = call.firstChild;
  const args: SyntaxNode[] = [];
  for (let child = call.getChild("ArgList")?.firstChild; child; child = child.nextSibling) {
    if (!["(", ")", ",", "LineComment", "BlockComment"].includes(child.name)) args.push(child);
  }
  if (callee?.name === "MemberExpression" && callee.lastChild && module.text(callee.lastChild) === "bind") {
    const target = inner(callee.firstChild);
    return target && !args.some(({ name }) => name === "Spread")
      ? { ...target, bound: target.bound + Math.max(0, args.length - 1) }
      : undefined;
  }
  const functions = args.flatMap((argument) => inner(argument) ?? []);
  const [only] = functions;
  // The wrapper may give the parameters other types.
  return functions.length === 1 && only ? only : undefined;
}
