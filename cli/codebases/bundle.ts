import type { BundleFormat } from "../../core/sync/config/codebase.ts";
import type { Codebase } from "../../core/sync/config/config.ts";
import type { FileProblem } from "../../core/sync/item.ts";

/** The code of a script with all its imports, in the form that the service runs. */
export interface Bundle {
  /** The digest that the field `codebase` of the script has. */
  digest: string;
  bytes: Uint8Array<ArrayBuffer>;
  /** The bundle is an archive with `main.js` and other files. */
  tar: boolean;
  /** Absent: the service reads it from the code. */
  format?: BundleFormat;
  /** The source map of `main.js`, whose sources are relative to the root of the project. */
  sourceMap?: string;
  /** The input files of the bundle, relative to the root of the project. Absent: the bundler does not report them. */
  inputs?: readonly string[];
}

/** The output of a bundler: `main.js` and the files that it loads. */
export interface BundledFiles {
  files: Map<string, Uint8Array>;
  format?: BundleFormat;
  sourceMap?: string;
  inputs?: readonly string[];
}

/** The script to bundle. */
export interface BundleSource {
  /** The folder of `svc.yaml`. */
  root: string;
  /** The script's file, relative to the root. */
  file: string;
  codebase: Codebase;
  format: BundleFormat;
}

/** The bundle cannot be made. The files have these problems. */
export class BundleFailure extends Error {
  override readonly name = "BundleFailure";
  readonly problems: readonly FileProblem[];

  constructor(problems: readonly FileProblem[]) {
    super(problems.map(({ file, message }) => `${file}: ${message}`).join("\n"));
    this.problems = problems;
  }
}

/** The name of the bundled code, also in an archive. */
export const MAIN = "main.js";
