import { marked } from "marked";
import { useMemo } from "react";
import { sanitized } from "./sanitize.ts";

/** A longer text is shown in part: a browser needs seconds for megabytes of HTML. */
const SHOWN_CHARS = 300_000;

/** HTML, and Markdown as HTML. Nothing in it is executed or fetched. */
export default function Rich({ kind, text }: { kind: "markdown" | "html"; text: string }) {
  const html = useMemo(() => {
    const shown = text.slice(0, SHOWN_CHARS);
    return sanitized(kind === "markdown" ? marked.parse(shown, { async: false, gfm: true }) : shown);
  }, [kind, text]);
  // biome-ignore lint/security/noDangerouslySetInnerHtml: DOMPurify has sanitised it
  return <div className="rich" dangerouslySetInnerHTML={{ __html: html }} />;
}
