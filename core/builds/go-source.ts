import type { SyntaxNode } from "@lezer/common";
import { go } from "./parsers/go.ts";

export interface GoParam {
  name: string;
  /** The type as written, `...` included. */
  type: string;
}

export interface GoFunction {
  name: string;
  params: GoParam[];
  /** The function has type parameters, so a call must name its types. */
  generic: boolean;
}

export interface GoSource {
  /** The position of the package's name. `undefined` without a package clause. */
  packageName: { from: number; to: number; name: string } | undefined;
  /** Top-level functions in order, without methods. */
  functions: GoFunction[];
  imports: string[];
  /** Versions of modules from comments such as `//require github.com/owner/name v1.2.3`. */
  required: Record<string, string>;
}

const REQUIRE = /^\/\/\s*require\s+([\w./~-]+)\s+(v[\w.+-]+)\s*$/;

/** Parses a Go file as far as possible. Never throws, because the compiler reports the errors. */
export function readGoSource(source: string): GoSource {
  const root = go.parse(source).topNode;
  const text = (node: SyntaxNode) => source.slice(node.from, node.to);
  const clause = root.getChild("PackageClause")?.getChild("DefName");
  const imports = root.getChildren("ImportDecl").flatMap((declaration) => {
    const specs = [...declaration.getChildren("ImportSpec"), ...(declaration.getChild("SpecList")?.getChildren("ImportSpec") ?? [])];
    return specs.flatMap((spec) => spec.getChildren("String").map((path) => text(path).slice(1, -1)));
  });
  const functions = root.getChildren("FunctionDecl").flatMap((declaration) => {
    const name = declaration.getChild("DefName");
    const parameters = declaration.getChild("Parameters");
    if (!name || !parameters) return [];
    return [{ name: text(name), params: readGoParams(parameters, source), generic: declaration.getChild("TypeParams") !== null }];
  });
  const required: Record<string, string> = {};
  root.cursor().iterate((node) => {
    const [, module, version] = (node.name === "LineComment" && REQUIRE.exec(text(node.node))) || [];
    if (module !== undefined && version !== undefined) required[module] = version;
  });
  return { required, packageName: clause ? { from: clause.from, to: clause.to, name: text(clause) } : undefined, functions, imports };
}

/**
 * Reads a parameter list. `a, b string` yields two parameters. A parameter without a name is named after its position, for example `arg1`.
 */
export function readGoParams(parameters: SyntaxNode, source: string): GoParam[] {
  const params: GoParam[] = [];
  for (const parameter of parameters.getChildren("Parameter")) {
    const names = parameter.getChildren("DefName").map((node) => source.slice(node.from, node.to));
    const lastName = parameter.getChildren("DefName").at(-1);
    const type = source.slice(lastName ? lastName.to : parameter.from, parameter.to).trim();
    if (names.length === 0) params.push({ name: `arg${params.length + 1}`, type });
    for (const name of names) params.push({ name: name === "_" ? `arg${params.length + 1}` : name, type });
  }
  return params;
}
