import type { ResourceType } from "./declare-resource-types.ts";

/** A script as the editor has it. */
export interface Source {
  language: string;
  text: string;
  /** The path of the script, from which it imports others. */
  path?: string | undefined;
}

/** The types that a script can use, in addition to those of the language and of our client. */
export interface ScriptContext {
  resourceTypes: readonly ResourceType[];
  /** The declarations of the packages, by path: `node_modules/zod/index.d.ts`. */
  packages: Readonly<Record<string, string>>;
  /** The texts of other scripts, by path. */
  scripts: Readonly<Record<string, string>>;
}

/** A question of the editor to the worker with the types. Offsets count from 0, as CodeMirror's. */
export type Question =
  | { kind: "check"; source: Source }
  | { kind: "complete"; source: Source; at: number }
  | { kind: "describe"; source: Source; at: number; name: string; module?: string | undefined }
  | { kind: "import"; source: Source; at: number; name: string; module: string }
  | { kind: "hover"; source: Source; at: number }
  | { kind: "signature"; source: Source; at: number };

export interface TypeProblem {
  from: number;
  to: number;
  severity: "error" | "warning" | "info";
  message: string;
}

/** A name that nothing declares, and the place behind it. */
export interface UnknownName {
  name: string;
  at: number;
}

export interface TypeCompletion {
  label: string;
  /** One of CodeMirror's types of completions. */
  type: string;
  /** Names that are nearer come first. */
  boost: number;
  /** The module from which the name must be imported first. */
  module?: string;
}

/** The type of a name, and the text of its comment. */
export interface Description {
  signature: string;
  text: string;
}

/** The function that is called at a place. */
export interface CalledSignature {
  /** The place behind the opening bracket. */
  from: number;
  before: string;
  parameters: { text: string; comment: string }[];
  after: string;
  /** The parameter at the place. The number of parameters, if the call has too many arguments. */
  active: number;
  /** The comment of the function. */
  text: string;
  /** The number of signatures of the function. */
  signatures: number;
}

/** A part of a script that another text replaces. */
export interface TextChange {
  from: number;
  to: number;
  insert: string;
}

export interface Answers {
  /** `scripts`: the paths of the other scripts that are imported and not in the context. `unknown`: the names that nothing declares. */
  check: { problems: TypeProblem[]; scripts: string[]; unknown: UnknownName[] };
  /** `isComplete`: more letters select from the same names. Without a letter, no names of modules are offered. */
  complete: { from: number; options: TypeCompletion[]; isComplete: boolean } | undefined;
  describe: Description | undefined;
  /** The changes that import a name. */
  import: TextChange[] | undefined;
  hover: (Description & { from: number; to: number }) | undefined;
  signature: CalledSignature | undefined;
}

export type Answer = Answers[Question["kind"]];
