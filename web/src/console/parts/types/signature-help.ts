import { type EditorState, type Extension, Prec, StateEffect, StateField } from "@codemirror/state";
import { EditorView, keymap, showTooltip, type Tooltip, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { typesText } from "../../messages/editor/code.ts";
import { drawDescription } from "./description.ts";
import type { CalledSignature } from "./question.ts";

type FindSignature = (state: EditorState, at: number) => Promise<CalledSignature | undefined>;

const setShown = StateEffect.define<Tooltip | null>();

const shown = StateField.define<Tooltip | null>({
  create: () => null,
  update: (tooltip, { changes, effects }) => {
    const chosen = effects.find((effect) => effect.is(setShown));
    if (chosen) return chosen.value;
    return tooltip && { ...tooltip, pos: changes.mapPos(tooltip.pos, -1) };
  },
  provide: (field) => showTooltip.from(field),
});

/** Shows the parameters of the function that is called at the cursor: after an opening bracket or a comma, and by a key. Escape hides them. */
export function helpWithParameters(find: FindSignature): Extension {
  const plugin = ViewPlugin.define((view) => new ParameterHelp(view, find));
  const on = (act: (help: ParameterHelp) => boolean) => (view: EditorView) => {
    const help = view.plugin(plugin);
    return help !== null && act(help);
  };
  return [
    shown,
    plugin,
    Prec.high(
      keymap.of([
        { key: "Mod-Shift-Space", run: on((help) => help.open(true)), preventDefault: true },
        { key: "Escape", run: on((help) => help.close()) },
      ]),
    ),
  ];
}

/** Asks again whenever the cursor moves while the help is open. Only the answer to the newest question is shown. */
class ParameterHelp {
  private readonly view: EditorView;
  private readonly find: FindSignature;
  private isOpen = false;
  private questions = 0;
  private announced = "";

  constructor(view: EditorView, find: FindSignature) {
    this.view = view;
    this.find = find;
  }

  update({ docChanged, selectionSet, state, transactions }: ViewUpdate): void {
    if (!docChanged && !selectionSet) return;
    const { head } = state.selection.main;
    const isTyped = docChanged && transactions.some((transaction) => transaction.isUserEvent("input.type"));
    if (this.isOpen || (isTyped && /[(,]/.test(state.sliceDoc(head - 1, head)))) this.open(false);
  }

  open(isByKey: boolean): boolean {
    this.isOpen = true;
    const { state } = this.view;
    const question = ++this.questions;
    void this.find(state, state.selection.main.head).then((found) => {
      if (!this.isOpen || question !== this.questions) return;
      this.isOpen = found !== undefined;
      const words = found ? describe(found) : isByKey ? typesText.noCall : "";
      const isNew = words !== "" && words !== this.announced;
      this.announced = found ? words : "";
      this.view.dispatch({
        effects: [setShown.of(found ? toTooltip(found) : null), ...(isNew ? [EditorView.announce.of(words)] : [])],
      });
    });
    return true;
  }

  close(): boolean {
    const isShown = this.view.state.field(shown) !== null;
    this.isOpen = false;
    this.announced = "";
    if (isShown) this.view.dispatch({ effects: setShown.of(null) });
    return isShown;
  }

  destroy(): void {
    this.isOpen = false;
  }
}

const textOf = ({ before, parameters, after }: CalledSignature) => `${before}${parameters.map(({ text }) => text).join(", ")}${after}`;

/** The words for a screen reader: the parameter at the cursor, and the function. */
function describe(called: CalledSignature): string {
  const parameter = called.parameters[called.active];
  return parameter ? `${parameter.text}. ${parameter.comment} ${textOf(called)}` : textOf(called);
}

function toTooltip(called: CalledSignature): Tooltip {
  const { from, before, parameters, after, active, text, signatures } = called;
  const parts = parameters.flatMap((parameter, index) => {
    const strong = document.createElement("strong");
    strong.textContent = parameter.text;
    return [...(index > 0 ? [", "] : []), index === active ? strong : parameter.text];
  });
  const more = signatures > 1 ? typesText.signatures(signatures) : "";
  const words = [parameters[active]?.comment ?? "", text, more].filter((part) => part !== "").join("\n");
  return { pos: from, above: true, create: () => ({ dom: drawDescription({ signature: [before, ...parts, after], text: words }) }) };
}
