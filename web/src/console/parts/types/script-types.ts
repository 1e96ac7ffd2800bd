import ts from "typescript";
import { resolveScriptPath } from "../../../../../core/builds/script-paths.ts";
import { declareResourceTypes } from "./declare-resource-types.ts";
import type { Answers, Description, Question, ScriptContext, Source, TypeCompletion, TypeProblem } from "./question.ts";

const SCRIPT = "/script.ts";
const RESOURCE_TYPES = "/resource-types.d.ts";
/** The folder of the other scripts. */
const SCRIPTS = "/scripts/";
const MOST_PROBLEMS = 100;
const MOST_CHARACTERS = 4_000;

/** The names of the files with the functions that the runtime of a language adds to those of Node. */
const globalsOf: Readonly<Record<string, string>> = { bun: "bun", deno: "deno" };

/** The runtimes remove types and run the rest: what is only unusual there is no problem here. */
const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2025,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  moduleDetection: ts.ModuleDetectionKind.Force,
  lib: ["lib.es2025.d.ts", "lib.esnext.array.d.ts", "lib.esnext.collection.d.ts", "lib.esnext.disposable.d.ts", "lib.esnext.error.d.ts"],
  types: [],
  strict: true,
  noImplicitAny: false,
  useUnknownInCatchVariables: false,
  strictPropertyInitialization: false,
  allowImportingTsExtensions: true,
  allowJs: true,
  resolveJsonModule: true,
  noUncheckedSideEffectImports: false,
  esModuleInterop: true,
  experimentalDecorators: true,
  jsx: ts.JsxEmit.Preserve,
  noEmit: true,
  skipLibCheck: true,
};

/**
 * The numbers of problems that are none at run time: a module whose types are not here, which TypeScript then treats as `any`, and a type of
 * `Deno` or `Bun`, which are described in part.
 */
const UNKNOWN_HERE = new Set([2307, 2503, 2694, 2732, 2792, 7016]);

/** The version that the import of a package may name. */
const VERSION = /^(@[^/]+\/[^/@]+|[^/@]+)@[^/]+/;
const IS_SCRIPT = /^[uf]\/[^/]+\/./;

/** Answers questions about the types of a script, with TypeScript's own language service. It holds one script at a time. */
export class ScriptTypes {
  private readonly files: ReadonlyMap<string, string>;
  private readonly registry = ts.createDocumentRegistry();
  private service: ts.LanguageService;
  /** The types of the global scope without the resource types, which must not declare them again. */
  private readonly globalTypes: ReadonlySet<string>;
  private source: Source = { language: "bun", text: "" };
  private resourceTypes = "";
  /** The packages and the other scripts, by path. */
  private modules: ReadonlyMap<string, string> = new Map();
  private packages: ScriptContext["packages"] = {};
  private scripts: ScriptContext["scripts"] = {};
  private version = 0;
  private modulesVersion = 0;
  private readonly snapshots = new Map<string, ts.IScriptSnapshot>();

  /** `files`: the declarations by path, as `web/type-files.ts` lists them. */
  constructor(files: ReadonlyMap<string, string>) {
    this.files = files;
    this.service = ts.createLanguageService(this.createHost(), this.registry);
    const program = this.service.getProgram();
    const script = program?.getSourceFile(SCRIPT);
    const names = script && program?.getTypeChecker().getSymbolsInScope(script, ts.SymbolFlags.Type | ts.SymbolFlags.Namespace);
    this.globalTypes = new Set(names?.map(({ name }) => name));
  }

  /** Replaces parts of the context. */
  setContext({ resourceTypes, packages = this.packages, scripts = this.scripts }: Partial<ScriptContext>): void {
    if (resourceTypes) this.resourceTypes = declareResourceTypes(resourceTypes, this.globalTypes);
    this.version++;
    if (packages !== this.packages || scripts !== this.scripts) this.replaceModules(packages, scripts);
  }

  private replaceModules(packages: ScriptContext["packages"], scripts: ScriptContext["scripts"]): void {
    this.packages = packages;
    this.scripts = scripts;
    this.modules = new Map([
      ...Object.entries(packages).map(([path, text]) => [`/${path}`, text] as const),
      ...Object.entries(scripts).map(([path, text]) => [`${SCRIPTS}${path}.ts`, text] as const),
    ]);
    this.modulesVersion++;
    // A new service resolves each import again. It takes the parsed declarations of the former one.
    const former = this.service;
    this.service = ts.createLanguageService(this.createHost(), this.registry);
    this.service.getProgram();
    former.dispose();
  }

  answer<K extends Question["kind"]>(question: Extract<Question, { kind: K }>): Answers[K];
  answer(question: Question): Answers[Question["kind"]] {
    this.open(question.source);
    switch (question.kind) {
      case "check":
        return this.check();
      case "complete":
        return this.complete(question.at);
      case "describe":
        return this.describe(question.at, question.name);
      case "signature":
        return this.findSignature(question.at);
      default:
        return this.hover(question.at);
    }
  }

  private open(source: Source): void {
    const { text, language, path } = this.source;
    if (source.text === text && source.language === language && source.path === path) return;
    this.source = source;
    this.version++;
  }

  private check(): Answers["check"] {
    const found = [...this.service.getSyntacticDiagnostics(SCRIPT), ...this.service.getSemanticDiagnostics(SCRIPT)];
    return { problems: toProblems(found), scripts: this.listMissingScripts() };
  }

  /** Lists the scripts that are imported, directly or by another one, and not in the context. */
  private listMissingScripts(): string[] {
    const files = (this.service.getProgram()?.getSourceFiles() ?? []).filter(({ fileName }) => this.findImporter(fileName) !== undefined);
    const imported = files.flatMap(({ fileName, text }) =>
      ts.preProcessFile(text).importedFiles.map((each) => resolveScriptPath(this.findImporter(fileName) ?? "", each.fileName) ?? ""),
    );
    return [...new Set(imported)].filter((path) => IS_SCRIPT.test(path) && !Object.hasOwn(this.scripts, path));
  }

  /** Returns the path of the script that a file contains, or `undefined` for a declaration. */
  private findImporter(file: string): string | undefined {
    if (file === SCRIPT) return this.source.path ?? "";
    return file.startsWith(SCRIPTS) ? file.slice(SCRIPTS.length, -".ts".length) : undefined;
  }

  private complete(at: number): Answers["complete"] {
    const found = this.service.getCompletionsAtPosition(SCRIPT, at, { includeCompletionsWithInsertText: false });
    if (!found) return undefined;
    const { start: from = at - (/[\w$]*$/.exec(this.source.text.slice(Math.max(0, at - 200), at))?.[0].length ?? 0) } =
      found.optionalReplacementSpan ?? {};
    return { from, options: found.entries.map(toCompletion) };
  }

  private describe(at: number, name: string): Description | undefined {
    const found = this.service.getCompletionEntryDetails(SCRIPT, at, name, undefined, undefined, undefined, undefined);
    return found && toDescription(found);
  }

  private hover(at: number): Answers["hover"] {
    const found = this.service.getQuickInfoAtPosition(SCRIPT, at);
    return found && { from: found.textSpan.start, to: found.textSpan.start + found.textSpan.length, ...toDescription(found) };
  }

  private findSignature(at: number): Answers["signature"] {
    const found = this.service.getSignatureHelpItems(SCRIPT, at, undefined);
    const item = found?.items[found.selectedItemIndex];
    if (!found || !item) return undefined;
    const textOf = (parts: readonly ts.SymbolDisplayPart[]) => shorten(ts.displayPartsToString([...parts]));
    return {
      from: found.applicableSpan.start,
      before: textOf(item.prefixDisplayParts),
      parameters: item.parameters.map(({ displayParts, documentation }) => ({
        text: textOf(displayParts),
        comment: textOf(documentation),
      })),
      after: textOf(item.suffixDisplayParts),
      active: found.argumentIndex,
      text: textOf(item.documentation),
      signatures: found.items.length,
    };
  }

  private createHost(): ts.LanguageServiceHost {
    const read = (path: string): string | undefined => {
      if (path === SCRIPT) return this.source.text;
      return path === RESOURCE_TYPES ? this.resourceTypes : (this.files.get(path) ?? this.modules.get(path));
    };
    const folders = new Set([...this.files.keys(), ...this.modules.keys()].flatMap(listFolders));
    const versionOf = (path: string) => {
      if (path === SCRIPT || path === RESOURCE_TYPES) return String(this.version);
      return this.files.has(path) ? "" : `modules ${this.modulesVersion}`;
    };
    const host: ts.LanguageServiceHost & ts.ModuleResolutionHost = {
      getCompilationSettings: () => options,
      getScriptFileNames: () => {
        const { language } = this.source;
        const added = ["scripts", globalsOf[language] ?? ""].map((name) => `/globals/${name}.d.ts`);
        return [...added.filter((path) => this.files.has(path)), "/node_modules/@types/node/index.d.ts", RESOURCE_TYPES, SCRIPT];
      },
      getScriptVersion: versionOf,
      getScriptSnapshot: (path) => {
        const kept = this.snapshots.get(path);
        if (kept) return kept;
        const text = read(path);
        if (text === undefined) return undefined;
        const snapshot = ts.ScriptSnapshot.fromString(text);
        if (this.files.has(path)) this.snapshots.set(path, snapshot);
        return snapshot;
      },
      getCurrentDirectory: () => "/",
      getDefaultLibFileName: () => "/lib/lib.es2025.d.ts",
      fileExists: (path) => read(path) !== undefined,
      readFile: read,
      directoryExists: (path) => folders.has(path),
      getDirectories: () => [],
      useCaseSensitiveFileNames: () => true,
      resolveModuleNameLiterals: (literals, from) => literals.map(({ text }) => this.resolveModule(text, from, host)),
    };
    return host;
  }

  /** Resolves an import as the build does, if it is in a script. */
  private resolveModule(specifier: string, from: string, host: ts.ModuleResolutionHost): ts.ResolvedModuleWithFailedLookupLocations {
    const importer = this.findImporter(from);
    if (importer === undefined) return ts.resolveModuleName(specifier, from, options, host);
    const path = resolveScriptPath(importer, specifier);
    if (path === undefined) return ts.resolveModuleName(specifier.replace(/^npm:\/?/, "").replace(VERSION, "$1"), from, options, host);
    if (Object.hasOwn(this.scripts, path)) {
      return { resolvedModule: { resolvedFileName: `${SCRIPTS}${path}.ts`, extension: ts.Extension.Ts, isExternalLibraryImport: false } };
    }
    return { resolvedModule: undefined };
  }
}

function toProblems(found: readonly ts.Diagnostic[]): TypeProblem[] {
  return found
    .filter(({ code }) => !UNKNOWN_HERE.has(code))
    .slice(0, MOST_PROBLEMS)
    .map(({ start = 0, length = 0, category, messageText }) => ({
      from: start,
      to: start + length,
      severity: severityOf(category),
      // Packages cannot be installed from here.
      message: shorten(ts.flattenDiagnosticMessageText(messageText, "\n").replace(/ Do you need to .*/s, "")),
    }));
}

/** Lists the folders around a file. */
function listFolders(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join("/") || "/");
}

function severityOf(category: ts.DiagnosticCategory): TypeProblem["severity"] {
  if (category === ts.DiagnosticCategory.Error) return "error";
  return category === ts.DiagnosticCategory.Warning ? "warning" : "info";
}

/** CodeMirror's types of completions, by TypeScript's kinds. */
const types: Readonly<Record<string, string>> = {
  [ts.ScriptElementKind.functionElement]: "function",
  [ts.ScriptElementKind.localFunctionElement]: "function",
  [ts.ScriptElementKind.memberFunctionElement]: "method",
  [ts.ScriptElementKind.memberVariableElement]: "property",
  [ts.ScriptElementKind.memberGetAccessorElement]: "property",
  [ts.ScriptElementKind.memberAccessorVariableElement]: "property",
  [ts.ScriptElementKind.classElement]: "class",
  [ts.ScriptElementKind.interfaceElement]: "interface",
  [ts.ScriptElementKind.typeElement]: "type",
  [ts.ScriptElementKind.primitiveType]: "type",
  [ts.ScriptElementKind.enumElement]: "enum",
  [ts.ScriptElementKind.moduleElement]: "namespace",
  [ts.ScriptElementKind.externalModuleName]: "namespace",
  [ts.ScriptElementKind.keyword]: "keyword",
  [ts.ScriptElementKind.string]: "text",
};

function toCompletion({ name, kind, sortText }: ts.CompletionEntry): TypeCompletion {
  // TypeScript sorts by "10" for what is nearest to "18" for what is deprecated; 15 are globals and keywords.
  const boost = Math.max(-3, Math.min(5, 15 - (Number.parseInt(sortText, 10) || 15)));
  return { label: name, type: types[kind] ?? "variable", boost };
}

function toDescription(found: Pick<ts.QuickInfo, "displayParts" | "documentation" | "tags">): Description {
  const tags = (found.tags ?? [])
    .filter(({ name }) => name !== "example" && name !== "since" && name !== "see")
    .map(({ name, text }) => `@${name} ${ts.displayPartsToString(text)}`);
  const text = [ts.displayPartsToString(found.documentation), ...tags].filter((part) => part !== "").join("\n");
  const signature = ts
    .displayPartsToString(found.displayParts)
    .replace(/^\(alias\) /, "")
    .replace(/\n(import|export) [^\n]*$/, "");
  return { signature: shorten(signature), text: shorten(text) };
}

const shorten = (text: string): string => (text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text);
