import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** The colours are variables of the page, which are inherited into the shadow root and follow its theme. */
const colors = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], color: "var(--log-magenta)" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--log-green)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--log-yellow)" },
  { tag: [tags.comment], color: "var(--mantine-color-dimmed)", fontStyle: "italic" },
  { tag: [tags.function(tags.variableName), tags.propertyName, tags.definition(tags.variableName)], color: "var(--log-blue)" },
  { tag: [tags.typeName, tags.className], color: "var(--log-cyan)" },
]);

const surface = { color: "var(--mantine-color-text)", backgroundColor: "var(--mantine-color-body)" };
const border = "1px solid var(--mantine-color-default-border)";
const chosen = "var(--mantine-color-blue-light)";

const theme = EditorView.theme({
  "&": { ...surface, fontSize: "13px", maxHeight: "var(--code-height, 70vh)" },
  ".cm-content": { minHeight: "var(--code-min-height, 0)" },
  ".cm-scroller": { fontFamily: "var(--mantine-font-family-monospace)" },
  ".cm-gutters": { color: "var(--mantine-color-dimmed)", backgroundColor: "var(--mantine-color-body)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--code-active-line, rgb(128 128 128 / 8%))" },
  ".cm-cursor": { borderLeftColor: "var(--mantine-color-text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: chosen },
  ".cm-selectionMatch, .cm-searchMatch": { backgroundColor: "var(--mantine-color-yellow-light)" },
  ".cm-panels, .cm-tooltip, .cm-foldPlaceholder": { ...surface, border },
  ".cm-tooltip-autocomplete > ul > li[aria-selected], .cm-panel.cm-panel-lint ul [aria-selected]": { ...surface, backgroundColor: chosen },
  ".cm-completionDetail": { color: "var(--mantine-color-dimmed)" },
  ".cm-textfield, .cm-button": { ...surface, border, backgroundImage: "none" },
});

/** The colours of a text and of what is around it. */
export const appearance: Extension = [syntaxHighlighting(colors), theme];

/** A text that is read and not edited. Keys scroll it. */
export const readOnly = (label: string, grammar: Extension): Extension => [
  lineNumbers(),
  appearance,
  EditorState.readOnly.of(true),
  EditorView.editable.of(false),
  EditorView.lineWrapping,
  EditorView.contentAttributes.of({ tabindex: "0", "aria-label": label, "aria-readonly": "true" }),
  grammar,
];
