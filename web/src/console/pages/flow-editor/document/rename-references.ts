// Not of CodeMirror: the flow is shown before its editor of code is loaded.
import { parser } from "@lezer/javascript";

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const QUOTED = /^(["'])((?:(?!\1)[^\\])*)\1$/;

interface Part {
  name: string;
  from: number;
  to: number;
}
/** A place of an expression that reads `results`. */
interface Use {
  /** The key: `.a`, `?.a`, `["a"]`, or the `a`, `a:` and `"a":` of `const { … } = results`. Undefined: a use that names no step by itself. */
  key?: Part;
  /** The id that the key is. */
  id?: string;
  kind?: "property" | "text" | "variable";
  /** For a property: where it begins, with its dot. */
  from?: number;
}

/** Finds each use of `results`. The syntax decides, so texts and comments are none. `undefined`: the expression declares its own `results`. */
function usesOfResults(expression: string): Use[] | undefined {
  const uses: Use[] = [];
  const textOf = ({ from, to }: { from: number; to: number }) => expression.slice(from, to);
  const idOf = ({ name, from, to }: Part): Use => {
    const key = { name, from, to };
    if (name === "PropertyName") return { key, id: textOf(key), kind: "property" };
    if (name === "VariableDefinition") return { key, id: textOf(key), kind: "variable" };
    const [, , id] = (name === "String" && QUOTED.exec(textOf(key))) || [];
    return id === undefined ? {} : { key, id, kind: "text" };
  };
  let declares = false;
  parser.parse(expression).iterate({
    enter: ({ name, node }) => {
      if (name === "VariableDefinition" && textOf(node) === "results") declares = true;
      if (name !== "VariableName" || textOf(node) !== "results") return;
      const { parent, prevSibling: equals } = node;
      const pattern = equals?.name === "Equals" ? equals.prevSibling : undefined;
      if (parent?.name === "MemberExpression" && parent.firstChild?.from === node.from) {
        const last = parent.lastChild;
        const key = last?.name === "PropertyName" ? last : last?.prevSibling;
        uses.push(key ? { ...idOf(key), from: node.to } : {});
      } else if (pattern?.name === "ObjectPattern") {
        for (const property of pattern.getChildren("PatternProperty")) if (property.firstChild) uses.push(idOf(property.firstChild));
      } else uses.push({});
    },
  });
  return declares ? undefined : uses;
}

/**
 * Returns an expression with the references to renamed steps (`results.a`, `results?.a`, `results["a"]`, `const { a } = results`) changed. An
 * expression that declares its own `results` stays as it is.
 */
export function renameReferences(expression: string, renamed: ReadonlyMap<string, string>): string {
  if (!expression.includes("results")) return expression;
  const edits = (usesOfResults(expression) ?? []).flatMap(({ key, id = "", kind, from }) => {
    const next = renamed.get(id);
    if (!key || next === undefined) return [];
    const isName = IDENTIFIER.test(next);
    const name = isName ? next : JSON.stringify(next);
    const { from: begin, to } = key;
    if (kind === "variable") return [{ from: begin, to, text: `${name}: ${id}` }];
    if (kind === "text") {
      const quote = expression[begin] ?? '"';
      return [{ from: begin, to, text: `${quote}${next}${quote}` }];
    }
    if (isName || from === undefined) return [{ from: begin, to, text: name }];
    const isOptional = expression.slice(from, begin).includes("?.");
    return [{ from, to, text: `${isOptional ? "?." : ""}[${name}]` }];
  });
  return edits
    .sort((a, b) => b.from - a.from)
    .reduce((text, { from, to, text: next }) => text.slice(0, from) + next + text.slice(to), expression);
}

/** Returns whether an expression may read a step in a way that does not follow a new id, such as `results[name]`. */
export function mayNameOtherwise(expression: string, id: string): boolean {
  if (!expression.includes("results") || !expression.includes(id)) return false;
  const uses = usesOfResults(expression);
  const isFollowed = uses?.every((use) => use.key !== undefined) === true;
  return !isFollowed && expression.split(/[^\w$-]+/).includes(id);
}

/** Fields whose contents are data or source, in which a text is no expression. */
const DATA = new Set(["content", "lock", "schema", "resume_form", "return_value", "flow_env", "assets", "modules", "branches", "default"]);
const TEMPLATE_NAME = /(\{\{\s*context\.)([A-Za-z0-9_-]+)/g;

/** Returns a part of a flow with the references in its expressions changed. A part without one stays the same object. `modules` are not entered. */
export function renameInFields<T>(part: T, renamed: ReadonlyMap<string, string>, skips: ReadonlySet<string> = DATA): T {
  if (Array.isArray(part)) {
    const list = part.map((each) => renameInFields(each, renamed, skips));
    return list.some((each, index) => each !== part[index]) ? (list as T) : part;
  }
  if (typeof part !== "object" || part === null) return part;
  const fields = Object.entries(part).map(([name, value]): [string, unknown] => {
    if (skips.has(name) || (name === "value" && "type" in part && part.type === "static")) return [name, value];
    if (typeof value !== "string") return [name, renameInFields(value, renamed, skips)];
    if (name === "expr" || name === "skip_expr") return [name, renameReferences(value, renamed)];
    if (name === "early_return") return [name, renamed.get(value) ?? renameReferences(value, renamed)];
    if (name === "message")
      return [
        name,
        value.replace(TEMPLATE_NAME, (text, before: string, id: string) => (renamed.has(id) ? before + renamed.get(id) : text)),
      ];
    return [name, value];
  });
  const before = part as Record<string, unknown>;
  return fields.some(([name, value]) => value !== before[name]) ? (Object.fromEntries(fields) as T) : part;
}

/** The same for a module, without the steps inside it. Branches have their own expressions. */
export function renameInModule<M extends { readonly value: { readonly [field: string]: unknown } }>(
  module: M,
  renamed: ReadonlyMap<string, string>,
): M {
  const changed = renameInFields(module, renamed);
  const branches = module.value["branches"];
  if (!Array.isArray(branches)) return changed;
  const renamedBranches = branches.map((branch: unknown) => renameInFields(branch, renamed));
  if (renamedBranches.every((branch, index) => branch === branches[index])) return changed;
  return { ...changed, value: { ...changed.value, branches: renamedBranches } };
}

/** Returns the expressions of a part of a flow. `modules` are not entered, and data is none. */
export function listExpressions(part: unknown): string[] {
  if (Array.isArray(part)) return part.flatMap(listExpressions);
  if (typeof part !== "object" || part === null) return [];
  return Object.entries(part).flatMap(([name, value]) => {
    if (typeof value === "string") return name === "expr" || name === "skip_expr" ? [value] : [];
    const isData = DATA.has(name) && name !== "branches";
    return isData || (name === "value" && "type" in part && part.type === "static") ? [] : listExpressions(value);
  });
}
