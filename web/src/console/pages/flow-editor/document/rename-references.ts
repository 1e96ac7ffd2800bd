import { javascriptLanguage } from "@codemirror/lang-javascript";

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const QUOTED = /^(["'])((?:(?!\1)[^\\])*)\1$/;

/**
 * Returns an expression with the references to renamed steps (`results.a`, `results?.a`, `results["a"]`) changed. The syntax decides, so texts and
 * comments stay. An expression that declares its own `results` stays as it is.
 */
export function renameReferences(expression: string, renamed: ReadonlyMap<string, string>): string {
  if (!expression.includes("results")) return expression;
  const edits: { from: number; to: number; text: string }[] = [];
  const tree = javascriptLanguage.parser.parse(expression);
  const textOf = ({ from, to }: { from: number; to: number }) => expression.slice(from, to);
  let declares = false;
  tree.iterate({
    enter: (node) => {
      if (node.name === "VariableDefinition" && textOf(node) === "results") declares = true;
      if (node.name !== "MemberExpression") return;
      const { firstChild: object, lastChild: last } = node.node;
      if (!object || !last || object.name !== "VariableName" || textOf(object) !== "results") return;
      if (last.name === "PropertyName") {
        const next = renamed.get(textOf(last));
        if (next === undefined) return;
        if (IDENTIFIER.test(next)) edits.push({ from: last.from, to: last.to, text: next });
        else {
          const isOptional = expression.slice(object.to, last.from).includes("?.");
          edits.push({ from: object.to, to: last.to, text: `${isOptional ? "?." : ""}[${JSON.stringify(next)}]` });
        }
        return;
      }
      const key = last.prevSibling;
      const [, quote = '"', id = ""] = (key?.name === "String" && QUOTED.exec(textOf(key))) || [];
      const next = renamed.get(id);
      if (key && next !== undefined) edits.push({ from: key.from, to: key.to, text: `${quote}${next}${quote}` });
    },
  });
  if (declares) return expression;
  return edits
    .sort((a, b) => b.from - a.from)
    .reduce((text, { from, to, text: next }) => text.slice(0, from) + next + text.slice(to), expression);
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
