import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { parseDependencies } from "../../core/builds/packages/workspace-dependencies.ts";
import { readRequirements } from "../../core/builds/python-requirements.ts";
import { removeTrailing } from "../../core/patterns/remove-trailing.ts";
import { parseJsonParameter } from "../../core/payload/arguments.ts";
import { parseBashSignature } from "../../core/signatures/bash/signature.ts";
import { parsePythonSignature } from "../../core/signatures/python/signature.ts";
import { readPythonLock } from "../../functions/build/python/python-lock.ts";

/** The modules that build a regular expression at run time, each with the reason why no user can choose its text. */
const BUILDS_PATTERNS: Record<string, string> = {
  "cli/codebases/client-plugin.ts": "the name of our own client",
  "clients/pack.ts": "the keys of our own project files",
  "contract/route.ts": "the paths of our own routes",
  "contract/routes/people/access.ts": "the names of our own kinds",
  "core/files/file-key.ts": "the names of our own folders",
  "core/patterns/translate-pattern.ts": "checks the syntax of a user's pattern, and never matches with it",
};

/** The modules that validate with a JSON Schema, each with the reason why a user's pattern cannot take long there. */
const VALIDATES_SCHEMAS: Record<string, string> = {
  "core/resources/value-check.ts": "all patterns run in linear time, and the work of a schema is limited",
  "services/flows/definitions/validate-machine.ts":
    "the package's own schemas, on machines that our compiler made: texts of authors are only names of up to 80 and comments of about 200 characters",
  "web/src/shared/form/validator.ts": "runs in the browser of the approver, and the service checks the form again",
};

/** Packages that compile the patterns of a schema. */
const VALIDATOR_PACKAGE =
  /^(ajv(-.*)?|@cfworker\/json-schema|@exodus\/schemasafe|@hyperjump\/.*|@rjsf\/validator.*|jsonschema|is-my-json-valid)(\/|$)/;
/** Methods of strings that compile an argument which is a string. */
const COMPILES_ITS_ARGUMENT = new Set(["match", "matchAll", "search"]);

const parse = (file: string, text: string) => ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);

function* nodesIn(source: ts.SourceFile): Generator<ts.Node> {
  const nodes: ts.Node[] = [source];
  for (let node = nodes.pop(); node; node = nodes.pop()) {
    yield node;
    ts.forEachChild(node, (child) => void nodes.push(child));
  }
}

/** Returns the places of a source that build a regular expression from anything but a literal. */
function findBuiltPatterns(source: ts.SourceFile): string[] {
  const nodes = [...nodesIn(source)];
  const literals = new Set(
    nodes.flatMap((node) =>
      ts.isVariableDeclaration(node) && node.initializer && ts.isRegularExpressionLiteral(node.initializer)
        ? [node.name.getText(source)]
        : [],
    ),
  );
  const isLiteral = (node: ts.Node | undefined) =>
    node !== undefined &&
    (ts.isRegularExpressionLiteral(node) || ts.isStringLiteral(node) || (ts.isIdentifier(node) && literals.has(node.text)));
  const isBuilt = (node: ts.Node): boolean => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      return COMPILES_ITS_ARGUMENT.has(node.expression.name.text) && node.arguments.length === 1 && !isLiteral(node.arguments[0]);
    }
    // `z.fromJSONSchema` compiles the patterns of a schema.
    if (!ts.isIdentifier(node) || (node.text !== "RegExp" && node.text !== "fromJSONSchema")) return false;
    const { parent } = node;
    if (ts.isTypeReferenceNode(parent)) return false;
    if (ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword) return false;
    const isCall = (ts.isNewExpression(parent) || ts.isCallExpression(parent)) && parent.expression === node;
    return !(isCall && node.text === "RegExp" && isLiteral(parent.arguments?.[0]));
  };
  return nodes.filter(isBuilt).map((node) => node.parent.getText(source).slice(0, 100));
}

/** Returns the packages that a source imports, statically or on demand. */
const importsOf = (source: ts.SourceFile): string[] =>
  [...nodesIn(source)].flatMap((node) => {
    const imported =
      ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
        ? node.moduleSpecifier
        : ts.isCallExpression(node) &&
            (node.expression.kind === ts.SyntaxKind.ImportKeyword || node.expression.getText(source) === "require")
          ? node.arguments[0]
          : undefined;
    return imported && ts.isStringLiteral(imported) ? [imported.text] : [];
  });

const sources = execFileSync("git", ["ls-files", "*.ts", "*.tsx", "*.mts", "*.mjs", "*.js"], { encoding: "utf8" })
  .trim()
  .split("\n")
  .filter((file) => !/\.test\.|\.d\.ts$|^(bench|test|engine\/seed\/examples)\//.test(file))
  .map((file) => parse(file, readFileSync(file, "utf8")));
const filesWith = (found: (source: ts.SourceFile) => boolean) =>
  sources
    .filter(found)
    .map(({ fileName }) => fileName)
    .sort();

describe("regular expressions of users", () => {
  it("are built from text only in the modules that name their reason", () => {
    expect(sources.length).toBeGreaterThan(500);
    expect(filesWith((source) => findBuiltPatterns(source).length > 0)).toEqual(Object.keys(BUILDS_PATTERNS).sort());
  });

  it("are compiled by a validator of schemas only in the modules that name their reason", () => {
    expect(filesWith((source) => importsOf(source).some((name) => VALIDATOR_PACKAGE.test(name)))).toEqual(
      Object.keys(VALIDATES_SCHEMAS).sort(),
    );
  });

  it("run in the linear engine wherever Ajv compiles a schema of a user", () => {
    const source = sources.find(({ fileName }) => fileName === "core/resources/value-check.ts");
    const created = source ? [...nodesIn(source)].filter(ts.isNewExpression).map((node) => node.getText(source)) : [];
    const validators = created.filter((text) => text.startsWith("new Ajv"));
    expect(validators).toHaveLength(1);
    expect(validators[0]).toContain("code: { regExp: createPatternEngine() }");
    // The only other use of the validator is behind the check of the size.
    expect(source?.text.match(/createValidator\(\)/g)).toHaveLength(2);
    expect(source?.text).toMatch(/checkSchemaSize\(schema\);\s[^}]*\} = schema;\s*return createValidator\(\)\.compile/);
  });

  it.each([
    "new RegExp(filter)",
    "RegExp(filter, 'u')",
    "new RegExp('^' + filter)",
    "new globalThis.RegExp(filter)",
    "const Pattern = RegExp; new Pattern(filter)",
    "filters.map(RegExp)",
    "text.match(filter)",
    "[...text.matchAll(filter)]",
    "text.search(filter + '$')",
    "z.fromJSONSchema(schema)",
  ])("are found in %s", (text) => {
    expect(findBuiltPatterns(parse("a.ts", text))).not.toEqual([]);
  });

  it.each([
    "new RegExp('a+')",
    "text.match(/a/)",
    "const A = /a/g; text.matchAll(A)",
    "(value: RegExp) => value instanceof RegExp",
    "table.match()",
  ])("are not taken for the literals in %s", (text) => {
    expect(findBuiltPatterns(parse("a.ts", text))).toEqual([]);
  });

  it("are not built in the Python code of runners and clients", () => {
    const files = execFileSync("git", ["ls-files", "runners/*.py", "clients/*.py", "functions/*.py"], { encoding: "utf8" })
      .trim()
      .split("\n");
    expect(files.length).toBeGreaterThan(10);
    const built = files.filter((file) =>
      /\bre\.(compile|match|search|sub|subn|fullmatch|findall|finditer|split)\((?!\s*r?["'])/.test(readFileSync(file, "utf8")),
    );
    expect(built).toEqual([]);
  });
});

describe("our own regular expressions end on texts for which a backtracking engine tries every division:", () => {
  const LENGTH = 500_000;
  const docstring = (text: string) => `def main(a):\n    """\n${text}\n"""\n    pass`;

  it.each<[string, () => unknown]>([
    ["a docstring with a long line of spaces", () => parsePythonSignature(docstring(`:param${" ".repeat(LENGTH)}!`))],
    ["a script with many braces that are never closed", () => parseBashSignature("\na=${1:-".repeat(LENGTH / 10))],
    ["a requirement with many comments", () => readRequirements(`# requirements:\n#${" #".repeat(LENGTH / 2)}\u2028x\n`)],
    ["a lock with many comments", () => readPythonLock(`${" #".repeat(LENGTH / 2)}\u2028x`, [])],
    ["a module path of dots", () => parseDependencies("go", ".".repeat(LENGTH))],
    ["a module path with many parts that are refused", () => parseDependencies("go", `${"a.".repeat(LENGTH / 2)}!`)],
    ["a go.mod with a comment of slashes", () => parseDependencies("go", `${"/".repeat(LENGTH)}\u2028`)],
    ["a text with many trailing characters before its end", () => removeTrailing(`${"/".repeat(LENGTH)}x`, "/")],
    ["a payload parameter of equals signs", () => expect(() => parseJsonParameter(`${"=".repeat(LENGTH)}a`)).toThrow()],
  ])("%s", (_, parseHostile) => {
    expect(parseHostile).not.toThrow(RangeError);
  });

  it("the parameters of a docstring have the name behind the type", () => {
    const parsed = JSON.stringify(parsePythonSignature(docstring(":param int a: The number")));
    expect(parsed).toContain("The number");
  });
});
