import { EditorView, type Tooltip } from "@codemirror/view";
import type { Answers } from "./question.ts";

export const descriptionTheme = EditorView.theme({
  ".cm-type": { padding: "0.25rem 0.5rem", maxWidth: "min(36rem, 80vw)", maxHeight: "16rem", overflow: "auto", whiteSpace: "pre-wrap" },
  ".cm-type-signature": { fontFamily: "var(--mantine-font-family-monospace)" },
  ".cm-type-signature strong": { textDecoration: "underline" },
  ".cm-type-text": { marginTop: "0.25rem" },
});

/** Draws a signature and the text below it. */
export function drawDescription({ signature, text }: { signature: string | readonly (string | Node)[]; text: string }): HTMLElement {
  const dom = document.createElement("div");
  dom.className = "cm-type";
  for (const [name, content] of [
    ["signature", signature],
    ["text", text],
  ] as const) {
    if (content.length === 0) continue;
    const part = document.createElement("div");
    part.className = `cm-type-${name}`;
    part.append(...(typeof content === "string" ? [content] : content));
    dom.append(part);
  }
  return dom;
}

export const toTooltip = (found: NonNullable<Answers["hover"]>): Tooltip => ({
  pos: found.from,
  end: found.to,
  above: true,
  create: () => ({ dom: drawDescription(found) }),
});
