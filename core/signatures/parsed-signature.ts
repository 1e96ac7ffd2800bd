import type { ParamTypes } from "../../runners/protocol.ts";
import type { Schema } from "./schema.ts";

export interface Param {
  name: string;
  type: Schema;
  /** The parameter has a default, even if JSON cannot represent it. */
  hasDefault: boolean;
  /** The default, when it is a literal. */
  default?: unknown;
  /** A call without this argument is invalid. */
  required: boolean;
  doc?: string;
}

export interface ParsedSignature {
  ok: true;
  /** The parameters of `main`. Empty without a `main`. */
  params: Param[];
  /** The source has a `main` and shows its parameters. */
  hasMain: boolean;
  hasPreprocessor: boolean;
  /** The names of the preprocessor's parameters. `null` if there is no preprocessor, or if it does not take its arguments by name. */
  preprocessorParams: string[] | null;
  /**
   * The function accepts more arguments than `params`: `**kwargs` in Python, `...rest` in TypeScript and Go, where the last parameter is
   * the list of the rest.
   */
  variadic: boolean;
  /** `main({ a, b })` in TypeScript: `params` are the properties of the pattern, and the function is called with one object. */
  destructured: boolean;
  /** Parameters that the TypeScript wrapper converts to types that JSON does not have. */
  paramTypes: ParamTypes;
  docs?: string;
}

export type Signature = ParsedSignature | { ok: false; error: string };
