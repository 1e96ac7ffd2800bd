import { marked } from "marked";
import { useMemo } from "react";
import { sanitized } from "./sanitize.ts";

/** HTML, and Markdown as HTML. Nothing in it is executed or fetched. */
export default function Rich({ kind, text }: { kind: "markdown" | "html"; text: string }) {
  const html = useMemo(() => sanitized(kind === "markdown" ? marked.parse(text, { async: false, gfm: true }) : text), [kind, text]);
  // biome-ignore lint/security/noDangerouslySetInnerHtml: DOMPurify has sanitised it
  return <div className="rich" dangerouslySetInnerHTML={{ __html: html }} />;
}
