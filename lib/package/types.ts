import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";

const ENTRY = "lib/index";
/** Modules whose types follow from schemas, with the type that is needed. Their declarations would contain the schemas, without comments. */
const DERIVED = { "lib/config": "SvcSettings", "contract/languages": "ScriptLanguage" } as const;

/** Writes the declarations of the package's types. */
export function writeTypes(root: string, out: string): void {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const files = Object.keys(DERIVED).map((module) => join(root, `${module}.ts`));
  const program = ts.createProgram(files, options);
  const derived = Object.entries(DERIVED).map(
    ([module, name]) => [module, declareType(program, join(root, `${module}.ts`), name)] as const,
  );
  for (const [module, text] of [...declareModules(root), ...derived]) {
    const file = join(out, "types", `${module}.d.ts`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/**
 * Returns the declarations of `lib/index.ts` and of each module that they need, by its path without ending, apart from those that follow from schemas. Throws an
 * error for a type that is not written down.
 */
export function declareModules(root: string): Map<string, string> {
  const declared = new Map<string, string>();
  const declare = (module: string): void => {
    if (declared.has(module) || Object.hasOwn(DERIVED, module)) return;
    const { outputText, diagnostics = [] } = ts.transpileDeclaration(readFileSync(join(root, `${module}.ts`), "utf8"), {
      fileName: `${module}.ts`,
      reportDiagnostics: true,
    });
    const [fault] = diagnostics;
    if (fault) throw new Error(`${module}.ts: ${ts.flattenDiagnosticMessageText(fault.messageText, " ")}`);
    const ours = /"(\.{1,2}\/[^"]+)\.ts"/g;
    declared.set(module, outputText.replace(ours, '"$1.js"'));
    for (const [, to = ""] of outputText.matchAll(ours)) declare(join(dirname(module), to));
  };
  declare(ENTRY);
  return declared;
}

/** Returns the declaration of a type that a module exports: an interface with the comments of its properties, or a union of texts. */
function declareType(program: ts.Program, file: string, name: string): string {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  const symbol = module && checker.getExportsOfModule(module).find((each) => each.name === name);
  if (!symbol) throw new Error(`${file} exports no ${name}.`);
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  const textOf = (part: ts.Type) => checker.typeToString(part, undefined, ts.TypeFormatFlags.NoTruncation);
  if (type.isUnion()) return `export type ${name} = ${type.types.map((part) => textOf(part)).join(" | ")};\n`;
  const lines = checker.getPropertiesOfType(type).map((property) => {
    const comment = ts.displayPartsToString(property.getDocumentationComment(checker)).replaceAll("*/", "*\\/");
    return `${comment ? `  /** ${comment} */\n` : ""}  ${property.name}?: ${textOf(checker.getTypeOfSymbol(property))};\n`;
  });
  return `export interface ${name} {\n${lines.join("")}}\n`;
}
