import { autocompletion, completeFromList, ifNotIn } from "@codemirror/autocomplete";
import { typescriptSnippets } from "@codemirror/lang-javascript";
import { type Diagnostic, linter } from "@codemirror/lint";
import { type EditorState, type Extension, StateEffect, StateField } from "@codemirror/state";
import { EditorView, hoverTooltip, keymap, type Panel, showPanel, showTooltip, type Tooltip, ViewPlugin } from "@codemirror/view";
import { typesText as text } from "../../messages/editor/code.ts";
import { createTypesSource } from "./complete-types.ts";
import { descriptionTheme, toTooltip } from "./description.ts";
import type { PageTypes } from "./page-types.ts";
import type { Source } from "./question.ts";
import { helpWithParameters } from "./signature-help.ts";

/** Nothing is completed inside of these. */
const WITHOUT_SNIPPETS = ["TemplateString", "String", "RegExp", "LineComment", "BlockComment", "PropertyName", ".", "?."];

const refresh = StateEffect.define<{ isResting: boolean }>();
const showAt = StateEffect.define<Tooltip | null>();

const restTheme = EditorView.theme({ ".cm-type-rest": { padding: "0.25rem 0.5rem" } });

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

/** Shows the types of a script: completions, problems, the parameters of calls, and a hint for each name. */
export function showTypes(types: PageTypes, language: string, path?: string): Extension {
  const { client } = types;
  const sourceOf = (state: EditorState): Source => ({ language, path, text: state.doc.toString() });
  const check = async (state: EditorState) => {
    const found = await client.ask({ kind: "check", source: sourceOf(state) });
    if (!found) return [];
    types.loadScripts(found.scripts);
    return found.problems.map((problem): Diagnostic => {
      const { name } = found.unknown.find(({ at }) => at === problem.to) ?? {};
      const exporters = name === undefined ? [] : types.listExporters(name, path);
      return exporters.length > 0 ? { ...problem, message: `${problem.message} ${text.exportedBy(exporters)}` } : problem;
    });
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
    descriptionTheme,
    restTheme,
    // The completions of the language alone would offer the same names again.
    autocompletion({
      override: [createTypesSource(client, sourceOf), ifNotIn(WITHOUT_SNIPPETS, completeFromList(typescriptSnippets))],
    }),
    linter(({ state }) => check(state), {
      needsRefresh: ({ transactions }) => transactions.some(({ effects }) => effects.some((effect) => effect.is(refresh))),
    }),
    hoverTooltip(async ({ state }, at) => {
      const found = client.isReady ? await hoverAt(state, at) : undefined;
      return found ? toTooltip(found) : null;
    }),
    helpWithParameters((state, at) => client.ask({ kind: "signature", source: sourceOf(state), at })),
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
