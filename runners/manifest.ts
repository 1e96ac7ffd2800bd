/** A binary that runners need besides Lambda's own runtimes. */
export interface Interpreter {
  /** The asset contains it as `bin/<name>`, and the environment variable `SVC_<NAME>_PATH` names it. */
  name: string;
  /** The npm package that contains the binary, by platform. */
  packages: Readonly<Record<`${"linux" | "darwin"}-${"x64" | "arm64"}`, string>>;
  /** The binary's path in the package. */
  file: string;
  /** The version in the asset. Absent: the one that package.json pins. */
  version?: string;
}

/** The modules that JavaScript can import without a package. Node's own modules are available in every interpreter. */
export interface BuiltinModules {
  /** Whether `bun` and `bun:*` can be imported. */
  bun: boolean;
  /** Whether Node's modules must be imported with the prefix `node:`. */
  needsNodePrefix: boolean;
}

/** A script whose run shows that a deployed language works. */
export interface SmokeTest {
  /** The script. Its arguments are `a`, which is 19, and `b`, which is 23. */
  content: string;
  /** A text that the script prints. */
  output: string;
  /** The result of the script. */
  result: number | string;
}

/**
 * Describes one language that svc can run. A manifest is plain data, because the bundle of every function contains all of them.
 * `runners/manifests.ts` lists them; docs/how-to-change.md describes how to add one.
 */
export type RunnerManifest = LanguageFields & BuilderFields;

interface LanguageFields {
  /** Name of the folder below `runners/`, of the runner function, and the `language` of a run request. */
  id: string;
  /** Other stored languages that this runner executes. */
  aliases: readonly string[];
  /** A script of another stored language whose content matches runs here instead. */
  directives: readonly { language: string; content: RegExp }[];
  /** File extension of a script, without the dot. */
  extension: string;
  function: {
    /** `node`: the bundle of `handler.ts`. `python`: the folder's own files, with `handler.py`. */
    runtime: "node" | "python";
    /** Interpreters that the asset contains on AWS. Lambda's runtimes already contain node, python3 and bash. */
    tools: readonly Interpreter[];
  };
  /** The parser of a source's imports of scripts and packages (core/builds/imports.ts). `none`: a script imports nothing through svc. */
  imports: "javascript" | "python" | "none";
  /** The parser of `main`'s parameters (core/signatures/signature.ts). `none`: a script has no parameters that can be read. */
  signature: "typescript" | "python" | "go" | "bash" | "none";
  /** The entry file inside an artefact. `undefined`: the artefact's own `svc.json` names it. */
  entryFile: string | undefined;
  /** Whether svc's wrapper calls user code inside the interpreter's process, or user code is a separate program. */
  wrapper: "in-process" | "program";
  /** The scripts can read whole numbers that JavaScript would round, but the handler is JavaScript: a request carries such arguments as text. */
  exactArguments?: boolean;
  /** Whether a script's `preprocessor` can run before its `main` in the same process. */
  preprocessor: boolean;
  /** The script that `npm run smoke` saves, builds and runs. */
  smokeTest: SmokeTest;
}

/** The builder of an artefact (functions/build/builders.ts), and what it needs to know. `file`: the source itself, as `main.<extension>`. */
type BuilderFields = { build: "javascript"; builtins: BuiltinModules } | { build: "python" | "go" | "file" };
