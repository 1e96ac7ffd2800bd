import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  type CompletionSource,
  insertCompletionText,
  pickedCompletion,
} from "@codemirror/autocomplete";
import { localCompletionSource } from "@codemirror/lang-javascript";
import type { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { typesText } from "../../messages/editor/code.ts";
import { drawDescription } from "./description.ts";
import type { Source, TypeCompletion } from "./question.ts";
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
    const prefix = state.sliceDoc(found.from, pos);
    const toOption = ({ module, ...option }: TypeCompletion): Completion => {
      const info = async () => {
        const described = await client.ask({ kind: "describe", source, at: pos, name: option.label, module });
        return described ? drawDescription(described) : null;
      };
      if (module === undefined) return { ...option, info };
      const apply = (view: EditorView, completion: Completion, from: number, to: number) => {
        const { label } = option;
        view.dispatch({ ...insertCompletionText(view.state, label, from, to), annotations: pickedCompletion.of(completion) });
        void addImport(client, sourceOf, view, { name: label, module, at: from + label.length });
      };
      return { ...option, info, detail: module, apply };
    };
    return {
      from: found.from,
      options: found.options.map(toOption),
      // The worker has chosen names that contain the letters so far.
      validFor: (text) => NAME.test(text) && (found.isComplete ? text.length >= prefix.length : text === prefix),
    };
  };
}

/** A name that was completed, and the place behind it. */
interface Imported {
  name: string;
  module: string;
  at: number;
}

const MOST_ATTEMPTS = 5;

/** Imports a name. The person types on while the worker looks for the place, so a changed text is asked about again. */
async function addImport(
  client: Pick<TypeClient, "ask">,
  sourceOf: (state: EditorState) => Source,
  view: EditorView,
  imported: Imported,
): Promise<void> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const { state } = view;
    const changes = await client.ask({ kind: "import", source: sourceOf(state), ...imported });
    if (view.state.doc !== state.doc) continue;
    if (changes) view.dispatch({ changes, effects: EditorView.announce.of(typesText.imported(imported.name, imported.module)) });
    return;
  }
}

/** The next letter asks the worker once it is ready. */
async function completeLocally(client: Pick<TypeClient, "isReady">, context: CompletionContext): Promise<CompletionResult | null> {
  const found = await localCompletionSource(context);
  return found && { ...found, validFor: (text) => !client.isReady && NAME.test(text) };
}
