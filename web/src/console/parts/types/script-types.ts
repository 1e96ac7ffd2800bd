import ts from "typescript";
import { resolveScriptPath } from "../../../../../core/builds/script-paths.ts";
import { declareResourceTypes } from "./declare-resource-types.ts";
import type { Answers, Description, Question, ScriptContext, Source } from "./question.ts";
import { shorten, toCompletion, toDescription, toProblems, toUnknownNames } from "./to-answer.ts";

const SCRIPT = "/script.ts";
const RESOURCE_TYPES = "/resource-types.d.ts";
/** The folder of the other scripts. */
const SCRIPTS = "/scripts/";

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

/** The version that the import of a package may name. */
const VERSION = /^(@[^/]+\/[^/@]+|[^/@]+)@[^/]+/;

const withModules: ts.UserPreferences = {
  includeCompletionsForModuleExports: true,
  // Only the declarations of Node import it.
  autoImportFileExcludePatterns: ["/node_modules/undici-types/**"],
};
const formats: ts.FormatCodeSettings = { indentSize: 2, convertTabsToSpaces: true, semicolons: ts.SemicolonPreference.Insert };

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
  /** The packages that the script imports, or has imported before. */
  private readonly importedPackages = new Set<string>();
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
        return this.describe(question.at, question.name, question.module);
      case "import":
        return this.findImport(question.at, question.name, question.module);
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
    return { problems: toProblems(found), scripts: this.listMissingScripts(), unknown: toUnknownNames(found, this.source.text) };
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
    const prefix = /[\w$]*$/.exec(this.source.text.slice(Math.max(0, at - 200), at))?.[0] ?? "";
    // The names of all modules are too many before the first letter.
    const found = this.service.getCompletionsAtPosition(SCRIPT, at, prefix === "" ? {} : withModules);
    if (!found) return undefined;
    const { start: from = at - prefix.length } = found.optionalReplacementSpan ?? {};
    const options = found.entries.filter(({ source }) => source === undefined || this.mayImport(source)).map(toCompletion);
    return { from, options, isComplete: prefix !== "" || !found.isGlobalCompletion };
  }

  /** Our client, other scripts, Node, and the packages that the script has imported: others may not be there at run time. */
  private mayImport(module: string): boolean {
    return module === "svc-client" || /^(node:|[./])/.test(module) || this.importedPackages.has(module);
  }

  private describe(at: number, name: string, module?: string): Description | undefined {
    const found = this.findEntry(at, name, module);
    return found && toDescription(found);
  }

  /** TypeScript names another script by its place in our folder, unless it is imported. */
  private findEntry(at: number, name: string, module: string | undefined): ts.CompletionEntryDetails | undefined {
    const find = (source: string | undefined) =>
      this.service.getCompletionEntryDetails(SCRIPT, at, name, formats, source, withModules, undefined);
    return find(module) ?? (module?.startsWith("/") ? find(`.${SCRIPTS.slice(0, -1)}${module}`) : undefined);
  }

  private findImport(at: number, name: string, module: string): Answers["import"] {
    const changes = this.findEntry(at, name, module)?.codeActions?.flatMap((action) => action.changes) ?? [];
    if (changes.length === 0 || changes.some(({ fileName }) => fileName !== SCRIPT)) return undefined;
    return changes.flatMap(({ textChanges }) =>
      textChanges.map(({ span, newText }) => ({
        from: span.start,
        to: span.start + span.length,
        // Scripts import others by their paths.
        insert: newText.replace(/(["'])\.\/scripts(\/[uf]\/)/g, "$1$2"),
      })),
    );
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
    // Their names are completed also while no import names them.
    const scripts = Object.keys(this.scripts).map((path) => `${SCRIPTS}${path}.ts`);
    const host: ts.LanguageServiceHost & ts.ModuleResolutionHost = {
      getCompilationSettings: () => options,
      getScriptFileNames: () => {
        const { language } = this.source;
        const added = ["scripts", globalsOf[language] ?? ""].map((name) => `/globals/${name}.d.ts`);
        return [
          ...added.filter((path) => this.files.has(path)),
          "/node_modules/@types/node/index.d.ts",
          RESOURCE_TYPES,
          ...scripts,
          SCRIPT,
        ];
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
    if (path === undefined && from === SCRIPT) this.importedPackages.add(specifier);
    if (path === undefined) return ts.resolveModuleName(specifier.replace(/^npm:\/?/, "").replace(VERSION, "$1"), from, options, host);
    if (Object.hasOwn(this.scripts, path)) {
      return { resolvedModule: { resolvedFileName: `${SCRIPTS}${path}.ts`, extension: ts.Extension.Ts, isExternalLibraryImport: false } };
    }
    return { resolvedModule: undefined };
  }
}

/** Lists the folders around a file. */
function listFolders(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join("/") || "/");
}
