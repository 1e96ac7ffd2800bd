import { readGoSource } from "../../../core/builds/go-source.ts";
import { readJavascriptImports } from "../../../core/builds/javascript-imports.ts";
import { readSpecifier } from "../../../core/builds/packages/package-specifiers.ts";
import { findNamedDependencies, parseDependencies } from "../../../core/builds/packages/workspace-dependencies.ts";
import { readPythonImports } from "../../../core/builds/python-imports.ts";
import { readRequirements } from "../../../core/builds/python-requirements.ts";
import { toArgumentsSchema } from "../../../core/signatures/parse-source.ts";
import { parseSignature } from "../../../core/signatures/signature.ts";
import { readGoLock } from "../../../functions/build/go/go-lock.ts";
import { readNpmLock } from "../../../functions/build/javascript/npm-lock.ts";
import { readPythonLock } from "../../../functions/build/python/python-lock.ts";
import { findBashErrors } from "../../../web/src/console/parts/syntax/bash/bash.ts";
import { findGoErrors } from "../../../web/src/console/parts/syntax/go/go.ts";
import { findGoGrammarError } from "../../../web/src/console/parts/syntax/go/grammar.ts";
import { type CostCase, feed } from "./growth.ts";
import { type Build, between, levels, mix, nest, numbered, repeat } from "./shapes.ts";

const MOST = 64 * 1024;
const inMain = (build: Build) => between("export function main(a: ", build, ") {}");
const goGrammar = Object.fromEntries(
  Object.entries(mix("-", "(", "a[", "T{", "func(){", "b.c", ",", "if a {", "} else ", "x:", "}", "[]", "map[", "struct{")).map(
    ([name, build]) => [name, between("package a\nfunc f() { x = ", build)] as const,
  ),
);
const typescript: Record<string, Build> = {
  "nested generics": inMain(nest("A<", ">", "B")),
  "generics without an end": inMain(repeat("A<")),
  "nested lists": inMain(repeat("[]")),
  tuples: inMain(nest("[", "]")),
  objects: inMain(nest("{ a: ", "}", "string")),
  unions: inMain(repeat("'a' | ")),
  intersections: inMain(repeat("{ a: 1 } & ")),
  conditions: inMain(repeat("A extends B ? C : ")),
  "nested functions": inMain(nest("(a: ", ") => void", "1")),
  parentheses: inMain(nest("(", ")", "1")),
  "parentheses without an end": repeat("("),
  "a default": between("export function main(a = ", nest("[", "]"), ") {}"),
  "a long default": between("export function main(a = '", repeat("\\u{41}"), "') {}"),
  parameters: between(
    "export function main(",
    numbered((at) => `a${at}: string, `),
    ") {}",
  ),
  "a pattern": between(
    "export function main({ ",
    numbered((at) => `a${at} = 1, `),
    " }: any) {}",
  ),
  "a comment with parameters": between("/**\n", repeat(" * @param a b\n"), "*/\nexport function main(a: string) {}"),
  "a comment with spaces": between("/**\n * @param", repeat(" "), "\n*/\nexport function main(a: string) {}"),
  "a comment without an end": between("/*", repeat("*")),
  comments: repeat("// a\n"),
  templates: nest("`${", "}`", "1"),
  quotes: repeat("'"),
  "a regular expression": between("const a = /", repeat("[")),
  imports: repeat("import a from 'b';\n"),
  "imported names": between("import { ", repeat("a, "), "} from 'b';"),
  exports: between("export { ", repeat("a, "), "};"),
  elements: nest("<a>", "</a>"),
  "casts and errors": repeat("<T>x;"),
  types: between(
    "",
    numbered((at) => `type A${at} = A${at + 1};\n`),
    "export function main(a: A0) {}",
  ),
  "types that grow": between(
    "",
    numbered((at) => `type A${at} = { a: A${at + 1}, b: A${at + 1} };\n`),
    "export function main(a: A0) {}",
  ),
  "unions that grow": between(
    "",
    levels(
      (at, inner) => `type A${at} = ${inner}string;`,
      (at) => `A${at} | `,
    ),
    "export function main(a: A0) {}",
  ),
  "lists that grow": between(
    "",
    levels(
      (at, inner) => `const a${at} = [${inner}];`,
      (at) => `a${at}, `,
    ),
    "export function main(a = a0) {}",
  ),
  "functions that grow": between(
    "",
    levels(
      (at, inner) => `export const main${at || ""} = f(${inner});`,
      (at) => `main${at}, `,
    ),
  ),
  "an interface many times": between("", repeat("interface A { a: 1 }\n"), "export function main(a: A) {}"),
  "texts that double": between(
    "enum E { A0 = 'a', ",
    numbered((at) => `A${at + 1} = A${at} + A${at}, `),
    "}\nexport function main(a: E) {}",
  ),
  "types of an enum": between(
    "enum E {",
    numbered((at) => `A${at},`),
    (size) => `}\nexport function main(a: ${"E.A1 | ".repeat(size / 8)}E) {}`,
  ),
  "chosen fields": between(
    "type A = { ",
    numbered((at) => `a${at}: 1, `),
    (size) => `};\nexport function main(a: Pick<A, ${numbered((at) => `'a${at}' | `)(size)} 'b'>) {}`,
  ),
  constants: between(
    "",
    numbered((at) => `const a${at} = a${at + 1};\n`),
    "export function main(a = a0) {}",
  ),
  "members of an enum": between(
    "enum E {",
    numbered((at) => `A${at} = '${at}',`),
    "}\nexport function main(a: E) {}",
  ),
  statements: repeat("a;\n"),
  calls: repeat("require('a');\n"),
  braces: nest("{", "}"),
  colons: repeat("a ? b : "),
  "arrow functions": repeat("a => "),
};
const python: Record<string, Build> = {
  "nested types": between("def main(a: ", nest("list[", "]", "int"), "):\n  pass"),
  unions: between("def main(a: ", repeat("int | "), "str):\n  pass"),
  literals: between(
    "from typing import Literal\ndef main(a: Literal[",
    numbered((at) => `'${at}',`),
    "]):\n  pass",
  ),
  parameters: between(
    "def main(",
    numbered((at) => `a${at}: int = 1, `),
    "):\n  pass",
  ),
  "a default": between("def main(a=", nest("[", "]"), "):\n  pass"),
  "a default of a dictionary": between(
    "def main(a={",
    numbered((at) => `'${at}': 1, `),
    "}):\n  pass",
  ),
  "a long text": between("def main(a='", repeat("\\n"), "'):\n  pass"),
  parentheses: repeat("("),
  quotes: repeat("'"),
  "three quotes": repeat('"""'),
  "a comment of the function": between('def main(a):\n  """\n', repeat("  :param a: b\n"), '  """\n'),
  "a comment with spaces": between('def main(a):\n  """\n  :param', repeat(" "), '!\n  """\n'),
  "arguments in a comment": between('def main(a):\n  """\n  Args:\n', repeat("    a (int): b\n"), '  """\n'),
  comments: repeat("# a\n"),
  requirements: between("# requirements:\n", repeat("# a==1\n")),
  "a requirement": between("# requirements:\n# a==", repeat("1,==")),
  metadata: between("# /// script\n# dependencies = [\n", repeat("#  'a',\n"), "# ]\n# ///\n"),
  "metadata without an end": repeat("# /// script\n"),
  indentation: numbered((at) => `${" ".repeat(at % 90)}if a:\n`),
  imports: repeat("import a\n"),
  "imported names": between("from a import ", repeat("b, "), "c"),
  dots: between("from ", repeat("."), " import a"),
  classes: between(
    "from enum import Enum\n",
    numbered((at) => `class A${at}(A${at + 1}):\n  a = 1\n`),
    "def main(a: A0):\n  pass",
  ),
  "members of an enum": between(
    "from enum import Enum\nclass E(Enum):\n",
    numbered((at) => `  A${at} = '${at}'\n`),
    "def main(a: E):\n  pass",
  ),
  "fields of a class": between(
    "from dataclasses import dataclass\n@dataclass\nclass A:\n",
    numbered((at) => `  a${at}: int\n`),
    "def main(a: A):\n  pass",
  ),
  "an import with spaces": between("from a", repeat(" "), "b\n"),
  "an import in brackets with spaces": between("from a import (b", repeat(" "), "c)\n"),
  "unions that grow": between(
    "",
    levels(
      (at, inner) => `A${at} = Union[${inner}int]`,
      (at) => `A${at}, `,
    ),
    "\ndef main(a: A0):\n  pass",
  ),
  "lists that grow": between(
    "",
    levels(
      (at, inner) => `a${at} = [${inner}]`,
      (at) => `a${at}, `,
    ),
    "\ndef main(a=a0):\n  pass",
  ),
  "functions that grow": levels(
    (at, inner) => `main${at || ""} = f(${inner})`,
    (at) => `main${at}, `,
  ),
  "bases that grow": between(
    "class B: pass\n",
    levels(
      (at, inner) => `class A${at}(${inner}B):\n  a: int`,
      (at) => `A${at}, `,
    ),
    "\ndef main(a: A0):\n  pass",
  ),
  "bases of an enum that grow": between(
    "class B: pass\n",
    levels(
      (at, inner) => `class A${at}(${inner}B):\n  a = 1`,
      (at) => `A${at}, `,
    ),
    "\ndef main(a: A0 = A0.a):\n  pass",
  ),
  "an enum with automatic values": between(
    "from enum import Enum, auto\nclass E(Enum):\n",
    numbered((at) => `  A${at} = auto()\n`),
    "def main(a: E):\n  pass",
  ),
  "members of an enum as literals": between(
    "from enum import Enum\nclass E(Enum):\n",
    numbered((at) => `  A${at} = ${at}\n`),
    (size) => `def main(a: Literal[${"E.A1, ".repeat(size / 6)}E.A1]):\n  pass`,
  ),
  "values of an enum": between(
    "from enum import Enum\nclass E(Enum):\n",
    numbered((at) => `  A${at} = ${at}\n`),
    (size) => `def main(a: Literal[${"E(1), ".repeat(size / 6)}E(1)]):\n  pass`,
  ),
  "fields of a base": between(
    "class B:\n",
    numbered((at) => `  a${at}: int\n`),
    "class A(B):\n  b: int\ndef main(a: A):\n  pass",
  ),
  aliases: between(
    "",
    numbered((at) => `A${at} = A${at + 1}\n`),
    "def main(a: A0):\n  pass",
  ),
  "aliases that grow": between(
    "",
    numbered((at) => `A${at} = dict[A${at + 1}, A${at + 1}]\n`),
    "def main(a: A0):\n  pass",
  ),
  statements: repeat("a\n"),
  "continued lines": repeat("\\\n"),
  functions: repeat("def main(a):\n  pass\n"),
  decorators: between("", repeat("@a\n"), "def main(a):\n  pass"),
};
const go: Record<string, Build> = {
  "comments before main": between("package inner\n", repeat("// a\n"), "func main(a string) {}"),
  "nested types": between("package inner\nfunc main(a ", nest("map[string]", "", "int"), ") {}"),
  pointers: between("package inner\nfunc main(a ", repeat("*"), "int) {}"),
  structures: between("package inner\nfunc main(a ", nest("struct { A ", "}", "int"), ") {}"),
  "fields of a structure": between(
    "package inner\nfunc main(a struct {\n",
    numbered((at) => `A${at} int \`json:"a${at}"\`\n`),
    "}) {}",
  ),
  types: between(
    "package inner\n",
    numbered((at) => `type A${at} struct { A A${at + 1}; B A${at + 1} }\n`),
    "func main(a A0) {}",
  ),
  parameters: between(
    "package inner\nfunc main(",
    numbered((at) => `a${at} string, `),
    ") {}",
  ),
  names: between(
    "package inner\nfunc main(",
    numbered((at) => `a${at}, `),
    "b string) {}",
  ),
  imports: between("package inner\nimport (\n", repeat('"a"\n'), ")"),
  required: repeat("//require github.com/a/b v1.2.3\n"),
  parentheses: repeat("("),
  braces: nest("{", "}"),
  "raw texts": repeat("`"),
  functions: repeat("func main(a string) {}\n"),
  "fields of an embedded structure": between(
    "package inner\ntype B struct {\n",
    numbered((at) => `A${at} int\n`),
    "}\ntype A struct { B }\nfunc main(a A) {}",
  ),
  tags: between('package inner\ntype A struct { A int `json:"', repeat("a,"), '"` }\nfunc main(a A) {}'),
};
const bash: Record<string, Build> = {
  ...mix('"', "'", "$(", "${", "(", "<<a "),
  arguments: numbered((at) => `a${at}="\${1:-b}"\n`),
  keywords: repeat("time "),
  braces: nest("{ ", "}\n"),
  "calls of a function": between("f() {\n", repeat('a="$1"\n'), (size) => `}\n${repeat('f "$@"\n')(size)}`),
  "many functions": numbered((at) => `f${at}() {\na="$1"\n}\nf${at} "$@"\n`),
  "here-documents": between("cat ", repeat("<<a "), "\n"),
  "lines of a here-document": between("cat <<a\n", repeat("b\n")),
  "one word": repeat("a"),
  words: repeat("a "),
  "continued lines": repeat("\\\n"),
  "a long default": between('a="${1:-', repeat("b\\\\"), '}"'),
  shifts: repeat("shift\n"),
  assignments: between("local ", repeat("a=$1 ")),
};

const read = (language: Parameters<typeof parseSignature>[0]) => (source: string) => toArgumentsSchema(parseSignature(language, source));
const lines = mix("a", "==", ",", " ", "#", "[", "\n", "\\\n");

const pick = (shapes: Record<string, Build>, ...names: string[]) =>
  Object.fromEntries(Object.entries(shapes).filter(([name]) => names.includes(name)));

/** Scripts and their lists of packages, as authors save them. */
export const sources: CostCase[] = [
  ...feed("a signature in TypeScript", MOST / 4, read("bun"), typescript),
  ...feed("a signature in Python", MOST, read("python3"), python),
  ...feed("a signature in Go", MOST, read("go"), go),
  ...feed("a signature in Bash", MOST, read("bash"), bash),
  ...feed("syntax errors in Go", MOST, findGoErrors, mix('"', "'", "`", "/*", "(", "}", "func a ", "\\")),
  ...feed("the grammar of Go", MOST, findGoGrammarError, goGrammar),
  ...feed("syntax errors in Bash", MOST, findBashErrors, mix('"', "$(", "`", "((", "))", "[[ ", "case a in b)", "a[", "<<a\n", "@(")),
  ...feed(
    "imports in TypeScript",
    MOST,
    readJavascriptImports,
    pick(typescript, "nested lists", "parentheses", "imports", "imported names", "elements", "casts and errors", "calls"),
  ),
  ...feed(
    "imports in Python",
    MOST,
    readPythonImports,
    pick(python, "a default", "imports", "imported names", "dots", "an import with spaces"),
  ),
  ...feed("imports in Go", MOST, readGoSource, pick(go, "pointers", "imports", "required", "functions", "parameters")),
  ...feed(
    "requirements in Python",
    MOST,
    readRequirements,
    pick(python, "comments", "requirements", "a requirement", "metadata", "metadata without an end"),
  ),
  ...feed("a named list", MOST, (text: string) => findNamedDependencies("python3", text), {
    ...python,
    comments: repeat("# workspace_dependencies: \n"),
  }),
  ...(["bun", "python3", "go"] as const).flatMap((language) =>
    feed(`a list of packages for ${language}`, MOST / 4, (text: string) => parseDependencies(language, text), {
      ...lines,
      "many packages": numbered((at) => `a${at}==1\n`),
      "many modules": numbered((at) => `require a.b/c${at} v1.0.0\n`),
      "a package.json": between(
        '{"dependencies":{',
        numbered((at) => `"a${at}":"1",`),
        '"a":"1"}}',
      ),
    }),
  ),
  ...feed("an import of a package", MOST, (text: string) => readSpecifier("f/a/b", text), mix("a", "@", "/", ".", "../", "npm:", "~")),
  ...feed("a lock for Python", MOST, (text: string) => readPythonLock(text, []), {
    ...lines,
    "many packages": numbered((at) => `a${at}==1 --hash=sha256:ab\n`),
  }),
  ...feed("a lock for Go", MOST, (text: string) => readGoLock(text, "a"), {
    ...lines,
    "many modules": between(
      "go 1.25\n",
      numbered((at) => `require a.b/c${at} v1.0.0\n`),
      "\n//go.sum\n",
    ),
    "many sums": between(
      "go 1.25\n//go.sum\n",
      numbered((at) => `a.b/c${at} v1.0.0 h1:abc=\n`),
    ),
    "a long sum": between("go 1.25\n//go.sum\n", repeat("a/")),
  }),
  ...feed("a lock for npm", MOST, readNpmLock, {
    "commas and spaces": between("{}\n//bun.lock\n", repeat(",  ")),
    "one comma": between("{}\n//bun.lock\n,", repeat(" ")),
    "many packages": between(
      '{}\n//bun.lock\n{"packages":{',
      numbered((at) => `"a${at}":["a@1.0.0","",{},"sha512-a"],`),
      "}}",
    ),
  }),
];
