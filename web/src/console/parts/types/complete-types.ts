import type { Completion, CompletionContext, CompletionResult, CompletionSource } from "@codemirror/autocomplete";
import { localCompletionSource } from "@codemirror/lang-javascript";
import type { EditorState } from "@codemirror/state";
import { drawDescription } from "./description.ts";
import type { Source } from "./question.ts";
import type { TypeClient } from "./type-client.ts";

const NAME = /^[\w$]*$/;

/** Completes the names of a script by its types. Until the worker is ready, it completes the names of the script alone. */
export function createTypesSource(client: Pick<TypeClient, "isReady" | "ask">, sourceOf: (state: EditorState) => Source): CompletionSource {
  return async (context) => {
    const { explicit, pos, state } = context;
    if (!explicit && !context.matchBefore(/[\w$.'"/@#]$/)) return null;
    if (!client.isReady) return completeLocally(client, context);
    const source = sourceOf(state);
    const found = await client.ask({ kind: "complete", source, at: pos });
    if (!found || context.aborted) return null;
    const info = async ({ label }: Completion) => {
      const described = await client.ask({ kind: "describe", source, at: pos, name: label });
      return described ? drawDescription(described) : null;
    };
    return { from: found.from, options: found.options.map((option) => ({ ...option, info })), validFor: NAME };
  };
}

/** The next letter asks the worker once it is ready. */
async function completeLocally(client: Pick<TypeClient, "isReady">, context: CompletionContext): Promise<CompletionResult | null> {
  const found = await localCompletionSource(context);
  return found && { ...found, validFor: (text) => !client.isReady && NAME.test(text) };
}
