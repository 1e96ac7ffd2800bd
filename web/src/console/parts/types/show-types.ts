import { autocompletion, type Completion, type CompletionSource, completeFromList, ifNotIn } from "@codemirror/autocomplete";
import { localCompletionSource, typescriptSnippets } from "@codemirror/lang-javascript";
import { linter } from "@codemirror/lint";
import { type EditorState, type Extension, StateEffect, StateField } from "@codemirror/state";
import { EditorView, hoverTooltip, keymap, type Panel, showPanel, showTooltip, type Tooltip, ViewPlugin } from "@codemirror/view";
import { typesText as text } from "../../messages/editor/code.ts";
import type { PageTypes } from "./page-types.ts";
import type { Answers, Description, Source } from "./question.ts";

/** Nothing is completed inside of these. */
const WITHOUT_SNIPPETS = ["TemplateString", "String", "RegExp", "LineComment", "BlockComment", "PropertyName", ".", "?."];

const refresh = StateEffect.define<{ isResting: boolean }>();
const showAt = StateEffect.define<Tooltip | null>();

const theme = EditorView.theme({
  ".cm-type": { padding: "0.25rem 0.5rem", maxWidth: "min(36rem, 80vw)", maxHeight: "16rem", overflow: "auto", whiteSpace: "pre-wrap" },
  ".cm-type-signature": { fontFamily: "var(--mantine-font-family-monospace)" },
  ".cm-type-text": { marginTop: "0.25rem" },
  ".cm-type-rest": { padding: "0.25rem 0.5rem" },
});

function drawDescription({ signature, text: words }: Description): HTMLElement {
  const dom = document.createElement("div");
  dom.className = "cm-type";
  for (const [name, content] of [
    ["signature", signature],
    ["text", words],
  ]) {
    if (!content) continue;
    const part = document.createElement("div");
    part.className = `cm-type-${name}`;
    part.textContent = content;
    dom.append(part);
  }
  return dom;
}

const toTooltip = (found: NonNullable<Answers["hover"]>): Tooltip => ({
  pos: found.from,
  end: found.to,
  above: true,
  create: () => ({ dom: drawDescription(found) }),
});

/** The type at the cursor, which a key shows. It ends with the next change and the next movement. */
const shownType = StateField.define<Tooltip | null>({
  create: () => null,
  update: (shown, { docChanged, selection, effects }) => {
    const chosen = effects.find((effect) => effect.is(showAt));
    if (chosen) return chosen.value;
    return docChanged || selection ? null : shown;
  },
  provide: (field) => showTooltip.from(field),
});

/** Shows that the types rest, because the worker has not answered. */
const rest = StateField.define<boolean>({
  create: () => false,
  update: (isResting, { effects }) => effects.find((effect) => effect.is(refresh))?.value.isResting ?? isResting,
  provide: (field) => showPanel.from(field, (isResting) => (isResting ? createPanel : null)),
});

function createPanel(): Panel {
  const dom = document.createElement("div");
  dom.className = "cm-type-rest";
  dom.setAttribute("role", "status");
  dom.textContent = text.resting;
  return { dom };
}

/** Shows the types of a script: completions, problems, and a hint for each name. */
export function showTypes(types: PageTypes, language: string): Extension {
  const { client } = types;
  const sourceOf = (state: EditorState): Source => ({ language, text: state.doc.toString() });
  const complete: CompletionSource = async (context) => {
    const { explicit, pos, state } = context;
    if (!explicit && !context.matchBefore(/[\w$.'"/@#]$/)) return null;
    if (!client.isReady) return localCompletionSource(context);
    const source = sourceOf(state);
    const found = await client.ask({ kind: "complete", source, at: pos });
    if (!found || context.aborted) return null;
    const info = async ({ label }: Completion) => {
      const described = await client.ask({ kind: "describe", source, at: pos, name: label });
      return described ? drawDescription(described) : null;
    };
    return { from: found.from, options: found.options.map((option) => ({ ...option, info })), validFor: /^[\w$]*$/ };
  };
  const hoverAt = (state: EditorState, at: number) => client.ask({ kind: "hover", source: sourceOf(state), at });
  const showAtCursor = (view: EditorView) => {
    const { state } = view;
    void hoverAt(state, state.selection.main.head).then((found) => {
      if (view.state.doc !== state.doc) return;
      const announced = found ? `${found.signature}. ${found.text}` : text.none;
      view.dispatch({ effects: [showAt.of(found ? toTooltip(found) : null), EditorView.announce.of(announced)] });
    });
    return true;
  };
  return [
    theme,
    // The completions of the language alone would offer the same names again.
    autocompletion({ override: [complete, ifNotIn(WITHOUT_SNIPPETS, completeFromList(typescriptSnippets))] }),
    linter(async ({ state }) => (await client.ask({ kind: "check", source: sourceOf(state) })) ?? [], {
      needsRefresh: ({ transactions }) => transactions.some(({ effects }) => effects.some((effect) => effect.is(refresh))),
    }),
    hoverTooltip(async ({ state }, at) => {
      const found = client.isReady ? await hoverAt(state, at) : undefined;
      return found ? toTooltip(found) : null;
    }),
    shownType,
    rest,
    keymap.of([
      { key: "F1", run: showAtCursor, preventDefault: true },
      {
        key: "Escape",
        run: (view) => {
          if (!view.state.field(shownType)) return false;
          view.dispatch({ effects: showAt.of(null) });
          return true;
        },
      },
    ]),
    ViewPlugin.define((view) => {
      const leave = types.join(() => view.dispatch({ effects: refresh.of({ isResting: types.isResting }) }));
      return { destroy: leave };
    }),
  ];
}
