import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import type { Extension } from "@codemirror/state";
import { type ClientFunction, clientFunctions } from "./client-functions.ts";
import { completeWith } from "./edit-extensions.ts";

const PREFIX = "svc.";

const toCompletion = ({ name, signature, text }: ClientFunction): Completion => ({
  label: name,
  type: "function",
  detail: signature.slice(name.length),
  info: text,
});

/** Completes the functions of our client after `svc.`. */
export function createClientSource(functions: readonly ClientFunction[]): (context: CompletionContext) => CompletionResult | null {
  const options = functions.map(toCompletion);
  return (context) => {
    const typed = context.matchBefore(/\bsvc\.\w*$/);
    return typed && { from: typed.from + PREFIX.length, options, validFor: /^\w*$/ };
  };
}

/** Completes our client in scripts of a language. */
export const completeClient = (language: string): Extension => completeWith(createClientSource(clientFunctions[language] ?? []));
