import type { SyntaxNode, SyntaxNodeRef, Tree } from "@lezer/common";
import { typescript, typescriptJsx } from "./parsers/typescript.ts";

export interface JavascriptImports {
  /** Specifiers as written, each once, in order, without type-only imports. */
  specifiers: string[];
  /** The source has JSX elements, so it must be read as TSX and its JSX runtime is one more import. */
  jsx: boolean;
}

/**
 * `<T>value` is a cast in TypeScript and an element in TSX, and the grammar accepts both in many places. A source with casts or syntax
 * errors is parsed as TSX if that yields elements and no additional errors.
 */
function parse(source: string): { tree: Tree; jsx: boolean } {
  const tree = typescript.parse(source);
  const plain = inspectTree(tree);
  if (plain.errors === 0 && !plain.casts) return { tree, jsx: false };
  const jsxTree = typescriptJsx.parse(source);
  const asJsx = inspectTree(jsxTree);
  return asJsx.elements && asJsx.errors <= plain.errors ? { tree: jsxTree, jsx: true } : { tree, jsx: false };
}

function inspectTree(tree: Tree): { errors: number; casts: boolean; elements: boolean } {
  const seen = { errors: 0, casts: false, elements: false };
  tree.iterate({
    enter: (node) => {
      if (node.type.isError) seen.errors++;
      seen.casts ||= node.name === "PrefixCast";
      seen.elements ||= node.name === "JSXElement";
    },
  });
  return seen;
}

/**
 * Finds static imports, re-exports, `import("literal")` and `require("literal")`. A source with syntax errors is parsed as far as possible.
 */
export function readJavascriptImports(source: string): JavascriptImports {
  const { tree, jsx } = parse(source);
  const found = new Set<string>();
  const add = (node: SyntaxNode | null | undefined) => {
    if (node?.name !== "String") return;
    const text = source.slice(node.from + 1, node.to - 1);
    if (text) found.add(text);
  };
  tree.iterate({
    enter: (node) => {
      switch (node.name) {
        case "ImportDeclaration":
          if (!isTypeOnly(node)) add(node.node.getChild("String"));
          break;
        case "ExportDeclaration":
          if (node.node.getChild("from") && !isTypeOnly(node)) add(node.node.getChild("String"));
          break;
        case "DynamicImport":
          add(node.node.getChild("String"));
          break;
        case "CallExpression":
          add(requiredBy(node, source));
          break;
      }
    },
  });
  if (jsx) found.add(jsxRuntime(source));
  return { specifiers: [...found], jsx };
}

/** Returns whether a source is an ES module: it has a static import or an export. */
export function hasModuleSyntax(source: string): boolean {
  for (let node = typescript.parse(source).topNode.firstChild; node; node = node.nextSibling)
    if (node.name === "ImportDeclaration" || node.name === "ExportDeclaration") return true;
  return false;
}

function requiredBy(call: SyntaxNodeRef, source: string): SyntaxNode | null | undefined {
  const callee = call.node.firstChild;
  if (callee?.name !== "VariableName" || source.slice(callee.from, callee.to) !== "require") return;
  return call.node.getChild("ArgList")?.getChild("String");
}

/** `import type …`, `export type …`, or a group in which every name has its own `type`. */
function isTypeOnly(declaration: SyntaxNodeRef): boolean {
  const node = declaration.node;
  if (node.getChild("type")) return true;
  const group = node.getChild("ImportGroup");
  if (!group || node.getChild("VariableDefinition") || node.getChild("Star")) return false;
  let names = 0;
  let types = 0;
  let afterType = false;
  for (let child = group.firstChild; child; child = child.nextSibling) {
    if (child.name === "," || child.name === "{" || child.name === "}") {
      if (child.name !== "{" && child.prevSibling?.name !== "," && child.prevSibling?.name !== "{") names++;
      afterType = false;
    } else if (child.name === "type" && !afterType) {
      types++;
      afterType = true;
    }
  }
  return names > 0 && names === types;
}

function jsxRuntime(source: string): string {
  const pragma = /@jsxImportSource\s+(\S+)/.exec(source)?.[1] ?? "react";
  return `${pragma}/jsx-runtime`;
}
