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

const theme = EditorView.theme({
  "&": { color: "var(--mantine-color-text)", backgroundColor: "var(--mantine-color-body)", fontSize: "13px", maxHeight: "70vh" },
  ".cm-scroller": { fontFamily: "var(--mantine-font-family-monospace)" },
  ".cm-gutters": { color: "var(--mantine-color-dimmed)", backgroundColor: "var(--mantine-color-body)", border: "none" },
});

/** A text that is read and not edited. Keys scroll it. */
export const readOnly = (label: string, grammar: Extension): Extension => [
  lineNumbers(),
  syntaxHighlighting(colors),
  theme,
  EditorState.readOnly.of(true),
  EditorView.editable.of(false),
  EditorView.lineWrapping,
  EditorView.contentAttributes.of({ tabindex: "0", "aria-label": label, "aria-readonly": "true" }),
  grammar,
];
