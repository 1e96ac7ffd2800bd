import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";

const ENTRY = "lib/index.ts";
/** The module whose types follow from schemas. Its declarations would contain the schemas, without the comments. */
const CONFIG = "lib/config";
const SETTINGS = "SvcSettings";

/** Writes the declarations of the package's types: that of `lib/index.ts`, and all that it needs. */
export function writeTypes(root: string, out: string): void {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const folder = join(out, "types");
  const emit = { noEmit: false, declaration: true, emitDeclarationOnly: true, rootDir: root, outDir: folder };
  const program = ts.createProgram([join(root, ENTRY)], { ...options, ...emit });
  const texts = new Map<string, string>();
  program.emit(undefined, (path, text) => texts.set(path, text));
  texts.set(join(folder, `${CONFIG}.d.ts`), declareSettings(program, join(root, `${CONFIG}.ts`)));
  const write = (path: string): void => {
    const text = texts.get(path);
    if (text === undefined) return;
    texts.delete(path);
    mkdirSync(dirname(path), { recursive: true });
    const ours = /"(\.{1,2}\/[^"]+)\.ts"/g;
    writeFileSync(path, text.replace(ours, '"$1.js"'));
    for (const [, to = ""] of text.matchAll(ours)) write(join(dirname(path), `${to}.d.ts`));
  };
  write(join(folder, ENTRY.replace(/ts$/, "d.ts")));
}

/** Returns the settings as an interface with the comments of the schema. */
function declareSettings(program: ts.Program, file: string): string {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  const settings = module && checker.getExportsOfModule(module).find(({ name }) => name === SETTINGS);
  if (!settings) throw new Error(`${file} exports no ${SETTINGS}.`);
  const lines = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(settings)).map((property) => {
    const comment = ts.displayPartsToString(property.getDocumentationComment(checker)).replaceAll("*/", "*\\/");
    const type = checker.typeToString(checker.getTypeOfSymbol(property), undefined, ts.TypeFormatFlags.NoTruncation);
    return `${comment ? `  /** ${comment} */\n` : ""}  ${property.name}?: ${type};\n`;
  });
  return `export interface ${SETTINGS} {\n${lines.join("")}}\n`;
}
