import type { SyntaxNode } from "@lezer/common";
import { python } from "./parsers/python.ts";

/** One imported module: `from ..a.b import c, d` is `{level: 2, module: "a.b", names: ["c", "d"]}`. */
export interface PythonImport {
  /** The number of leading dots. */
  level: number;
  module: string;
  /** The names after `from … import`. Empty for a plain `import`. */
  names: string[];
}

/** Finds every import, including those in functions and conditions, except under `if TYPE_CHECKING:`. Never throws. */
export function readPythonImports(source: string): PythonImport[] {
  const found: PythonImport[] = [];
  python.parse(source).iterate({
    enter: (ref) => {
      if (ref.name === "IfStatement" && isForTypesOnly(ref.node, source)) return false;
      if (ref.name === "ImportStatement") found.push(...readImport(ref.node, source));
      return undefined;
    },
  });
  return found;
}

function isForTypesOnly(statement: SyntaxNode, source: string): boolean {
  const condition = statement.firstChild?.nextSibling;
  return condition ? /^(\w+\.)?TYPE_CHECKING$/.test(source.slice(condition.from, condition.to)) && !statement.getChild("else") : false;
}

function readImport(statement: SyntaxNode, source: string): PythonImport[] {
  const imports: PythonImport[] = [];
  let current: PythonImport = { level: 0, module: "", names: [] };
  const from = statement.firstChild?.name === "from";
  let inNames = false;
  let afterAs = false;
  for (let child = statement.firstChild?.nextSibling; child; child = child.nextSibling) {
    const text = source.slice(child.from, child.to);
    if (child.name === "import") inNames = true;
    else if (child.name === "as") afterAs = true;
    else if (child.name === ".") current.level += from && !current.module && !inNames ? 1 : 0;
    else if (child.name === "...") current.level += 3;
    else if (child.name === "," && !from) {
      imports.push(current);
      current = { level: 0, module: "", names: [] };
    } else if (child.name === "VariableName") {
      if (afterAs) afterAs = false;
      else if (inNames && from) current.names.push(text);
      else current.module += (current.module ? "." : "") + text;
    }
  }
  imports.push(current);
  return imports.filter(({ level, module }) => level > 0 || module !== "");
}
