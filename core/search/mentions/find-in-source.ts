import type { SyntaxNode } from "@lezer/common";
import { findManifest, findRunner, type ScriptLanguage } from "../../../contract/languages.ts";
import { listScriptImports } from "../../builds/imports.ts";
import { go } from "../../builds/parsers/go.ts";
import { python } from "../../builds/parsers/python.ts";
import { typescript } from "../../builds/parsers/typescript.ts";
import type { MentionTarget } from "./mention-target.ts";

interface Source {
  language: ScriptLanguage;
  /** The path from which relative imports count. */
  path: string;
  content: string;
}

/** The functions of the client libraries that take a path, without `_` and in lower case, with the position of the path. */
const functionsOf: Readonly<Record<MentionTarget["kind"], Readonly<Record<string, number>>>> = {
  variable: { getvariable: 0, setvariable: 0 },
  resource: { getresource: 0, setresource: 1, getstate: 0, setstate: 1, databaseurlfromresource: 0 },
  script: { runscript: 0, runscriptasync: 0, runscriptbypath: 0, runscriptbypathasync: 0 },
  flow: { runflow: 0, runflowasync: 0 },
};

/** The functions that expressions of flows call. */
const functionsOfExpressions: typeof functionsOf = { variable: { variable: 0 }, resource: { resource: 0 }, script: {}, flow: {} };

/** Returns whether a text contains an address of this API that ends with the path of the target. */
function hasAddressOf({ kind, path }: MentionTarget, text: string): boolean {
  const addresses = text.matchAll(
    /\/(?:(?<variable>variables\/(?:get|get_value|exists|update))|(?<resource>resources\/(?:get|get_value|get_value_interpolated|exists|update|update_value))|(?<script>(?:jobs\/(?:run|run_wait_result|run_and_stream)|scripts\/get)\/p)|(?<flow>jobs\/(?:run|run_wait_result|run_and_stream)\/f|flows\/get))\/(?<path>[\w./-]+)/g,
  );
  return [...addresses].some(({ groups = {} }) => groups[kind] !== undefined && groups["path"] === path);
}

/** Returns how a source mentions the target: `import`, or `code` for a call of a client library, an address of the API or a reference. */
export function findInSource(target: MentionTarget, { language, path, content }: Source): ("import" | "code")[] {
  const runner = findRunner(language, content);
  const isImported = target.kind === "script" && runner !== undefined && listScriptImports(runner, path, content).includes(target.path);
  // Parsing costs more than this comparison, which excludes most sources.
  const isNamed = content.includes(target.path) && isNamedInCode(target, language, content);
  return [...(isImported ? (["import"] as const) : []), ...(isNamed ? (["code"] as const) : [])];
}

/** Returns whether an expression of a flow reads the target by `variable("…")` or `resource("…")`. */
export const isNamedInExpression = (target: MentionTarget, expression: string): boolean =>
  expression.includes(target.path) && hasTextWhere(typescript, expression, (text) => isPathOf(target, functionsOfExpressions, text));

const parsers = { typescript, python, go };

function isNamedInCode(target: MentionTarget, language: ScriptLanguage, content: string): boolean {
  const references = [`$res:${target.path}`, `$var:${target.path}`].filter((reference) => reference.startsWith(prefixOf(target.kind)));
  const syntax = findManifest(language)?.signature;
  if (syntax === "bash") {
    const code = content.replace(/(^|\s)#.*$/gm, "$1");
    return (
      hasAddressOf(target, code) || references.some((reference) => code.includes(`'${reference}'`) || code.includes(`"\\${reference}"`))
    );
  }
  if (syntax === undefined || syntax === "none") return false;
  return hasTextWhere(
    parsers[syntax],
    content,
    (text) => references.includes(text.value) || hasAddressOf(target, text.value) || isPathOf(target, functionsOf, text),
  );
}

const prefixOf = (kind: MentionTarget["kind"]): string => (kind === "resource" ? "$res:" : kind === "variable" ? "$var:" : "none");

/** Returns whether a text is the path that a call of one of these functions takes. */
function isPathOf({ kind, path }: MentionTarget, functions: typeof functionsOf, { value, node, source }: SourceText): boolean {
  const list = value === path ? node.parent : null;
  const callee = list && ARGUMENT_LISTS.has(list.name) ? list.prevSibling : null;
  if (!callee) return false;
  const name = readCalledName(callee, source).replaceAll("_", "").toLowerCase();
  if (!Object.hasOwn(functions[kind], name)) return false;
  return isPathKeyword(node, source) || functions[kind][name] === countCommasBefore(node);
}

const ARGUMENT_LISTS = new Set(["ArgList", "Arguments"]);
const LONGEST_NAME = 40;

/** Returns the last name of `name`, `client.name` or `name<Type>`. */
function readCalledName(callee: SyntaxNode, source: string): string {
  const named = callee.name === "InstantiationExpression" ? callee.firstChild : callee;
  const { from, to } = named?.lastChild ?? named ?? callee;
  return to - from > LONGEST_NAME ? "" : source.slice(from, to);
}

/** A text in a source, and its node. */
interface SourceText {
  value: string;
  node: SyntaxNode;
  source: string;
}

/** Returns whether a source contains a text that matches. Comments contain no texts. */
function hasTextWhere(parser: typeof typescript, source: string, matches: (text: SourceText) => boolean): boolean {
  let isFound = false;
  parser.parse(source).iterate({
    enter: (node) => {
      if (isFound) return false;
      if (node.name !== "String" && node.name !== "TemplateString") return true;
      const written = source.slice(node.from, node.to);
      const value = /^[A-Za-z]{0,2}("""|'''|["'`])([\s\S]*)\1$/.exec(written)?.[2];
      isFound = value !== undefined && matches({ value, node: node.node, source });
      return !isFound;
    },
  });
  return isFound;
}

function countCommasBefore(node: SyntaxNode): number {
  let commas = 0;
  // No function takes a path later, and long lists of texts must not be read once for each of them.
  for (let before = node.prevSibling; before && commas < 2; before = before.prevSibling) if (before.name === ",") commas += 1;
  return commas;
}

/** Returns whether an argument of Python is `path="…"`. */
function isPathKeyword({ prevSibling: assignment }: SyntaxNode, source: string): boolean {
  const name = assignment?.name === "AssignOp" ? assignment.prevSibling : null;
  return name != null && source.slice(name.from, name.to) === "path";
}
