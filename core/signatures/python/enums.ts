import type { SyntaxNode } from "@lezer/common";
import { type Argument, bodyOf, type PythonText, readAssignments } from "./syntax.ts";
import { NOT_LITERAL, readPythonLiteral } from "./values.ts";

/** Bases that do not change the values of members. */
const PLAIN = new Set(["Enum", "ReprEnum", "object", "str", "int", "float", "StrEnum", "IntEnum", "ABC"]);

/**
 * Returns the values of an enum by the names of its members, including aliases. `NOT_LITERAL`: the value is known only at run time.
 * @param ancestors the classes of the module from which the enum inherits
 * @param roots the names of the other classes from which it inherits
 */
export function readEnumClass(definition: SyntaxNode, ancestors: SyntaxNode[], roots: string[], module: PythonText): Map<string, unknown> {
  const statements = bodyOf(definition);
  const methods = [definition, ...ancestors].flatMap(bodyOf).flatMap((statement) => {
    const method = statement.name === "DecoratedStatement" ? (statement.getChild("FunctionDefinition") ?? statement) : statement;
    const name = method.name === "FunctionDefinition" ? method.getChild("VariableName") : null;
    return name ? [module.text(name)] : [];
  });
  const isPlain = roots.every((root) => PLAIN.has(root)) && !methods.includes("__new__") && !methods.includes("_generate_next_value_");
  const members = new Map<string, unknown>();
  const before: MembersBefore = { last: 0, isIncreasing: true };
  for (const statement of statements) {
    if (statement.name !== "AssignStatement") continue;
    for (const { target, value } of readAssignments(statement)) {
      const name = module.text(target);
      // Names such as `_ignore_` and `__secret` belong to the class.
      if (target.name !== "VariableName" || !value || /^_.*_$|^__/.test(name) || value.name === "LambdaExpression") continue;
      const constant = isPlain ? memberValue(name, value, roots, before, module) : NOT_LITERAL;
      before.isIncreasing &&= typeof constant === "number" && (members.size === 0 || constant > before.last);
      before.last = typeof constant === "number" ? constant : Number.NaN;
      members.set(name, constant);
    }
  }
  return members;
}

function memberValue(name: string, node: SyntaxNode, roots: string[], before: MembersBefore, module: PythonText): unknown {
  const isAutomatic = node.name === "CallExpression" && node.firstChild && module.nameOf(module.text(node.firstChild)) === "auto";
  const value = isAutomatic ? nextValue(name, roots, before) : readPythonLiteral(node, module);
  const isText = roots.includes("str") || roots.includes("StrEnum");
  const isNumber = roots.includes("int") || roots.includes("IntEnum") || roots.includes("float");
  // The class would convert the value.
  if ((isText && typeof value !== "string") || (isNumber && typeof value !== "number")) return NOT_LITERAL;
  // A tuple contains the arguments of the members' type.
  return typeof value === "object" && value !== null ? NOT_LITERAL : value;
}

/** The members before another one. */
interface MembersBefore {
  last: number;
  /** All are numbers, each larger than the previous one. */
  isIncreasing: boolean;
}

/** Returns the value of `auto()`. Python's versions differ for values that do not increase. */
function nextValue(name: string, roots: string[], { last, isIncreasing }: MembersBefore): unknown {
  if (roots.includes("StrEnum")) return name.toLowerCase();
  return isIncreasing ? last + 1 : NOT_LITERAL;
}

/** Returns the members of `Enum("Color", "RED GREEN")`, whose names may also be a list or the keys of a dictionary. */
export function readEnumMembers(base: string, [, names, ...rest]: Argument[], module: PythonText): Map<string, unknown> | undefined {
  if (!names || names.key !== undefined || !PLAIN.has(base)) return;
  const listed = readPythonLiteral(names.value, module);
  const keys = typeof listed === "string" ? listed.split(/[\s,]+/).filter(Boolean) : listed;
  const values = Array.isArray(keys)
    ? keys.map((key, at): [string, unknown] => [String(key), base === "StrEnum" ? String(key).toLowerCase() : at + 1])
    : typeof keys === "object" && keys !== null
      ? Object.entries(keys)
      : [];
  const isKnown = rest.length === 0 && (!Array.isArray(keys) || keys.every((key) => typeof key === "string"));
  return new Map(values.map(([name, value]) => [name, isKnown ? value : NOT_LITERAL]));
}
