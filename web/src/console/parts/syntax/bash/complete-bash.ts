import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { variableMeanings } from "../../../../../../core/variables/contextual.ts";

/** A longer script is completed with the names around the cursor. */
const READ_AROUND = 100_000;

const VARIABLE =
  /(?:^|[\s;&|(])(?:(?:local|export|declare|readonly|read|for)\s+(?:-\w+\s+)*)?([A-Za-z_]\w*)(?==|\+=|\s+in\b)|\bread\s+(?:-\w+\s+)*([A-Za-z_]\w*)/g;
const FUNCTION = /^[ \t]*(?:function\s+([\w-]+)|([\w-]+)[ \t]*\(\))/gm;

const environment = Object.entries(variableMeanings).map(
  ([name, info]): Completion => ({ label: name.startsWith("BASE_") ? name : `OV_${name}`, type: "constant", info, boost: -1 }),
);

/** Completes the variables of the script and of the run after `$`, and elsewhere the functions of the script. */
export function completeBash(context: CompletionContext): CompletionResult | null {
  const { state, pos, explicit } = context;
  const typed = context.matchBefore(/\$?\{?[#!]?\w*$/);
  if (!typed || (typed.text === "" && !explicit)) return null;
  const text = state.sliceDoc(Math.max(0, pos - READ_AROUND), pos + READ_AROUND);
  const from = pos - (/\w*$/.exec(typed.text)?.[0].length ?? 0);
  if (!typed.text.startsWith("$")) {
    const options = listNames(text.matchAll(FUNCTION)).map((label): Completion => ({ label, type: "function" }));
    return options.length > 0 ? { from, options, validFor: /^\w*$/ } : null;
  }
  const declared = listNames(text.matchAll(VARIABLE)).map((label): Completion => ({ label, type: "variable" }));
  return { from, options: [...declared, ...environment], validFor: /^\w*$/ };
}

/** Lists the names in the groups of matches, each once. */
const listNames = (matches: Iterable<RegExpMatchArray>): string[] => [
  ...new Set([...matches].map(([, first, second]) => first ?? second ?? "")),
];
