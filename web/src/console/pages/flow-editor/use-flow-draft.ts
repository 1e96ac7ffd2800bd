import { useEffect, useRef } from "react";
import { parseExactJson } from "../../../../../contract/json/exact-json.ts";
import { isJsonObject } from "../../../../../contract/json/json-object.ts";
import { type ServerDraft, useServerDraft } from "../../parts/draft/use-server-draft.ts";
import { type Replaced, replacedIn, restoreReplaced } from "./step/inputs/transforms.ts";
import type { FlowEditor } from "./use-flow-editor.ts";

/** The changes that a person has not deployed, with the version that they are based on. */
export interface FlowDraft {
  /** The chosen path of a new flow. */
  path: string;
  version: string | undefined;
  /** The document as JSON, in which its whole numbers are exact, or a text that is no flow. */
  text: string;
  /** The constants and expressions that switches have replaced, as JSON for the same reason. */
  replaced: string;
}

/** The draft of a flow, in the service and in the browser. That of a new flow belongs to its author, because it has no path yet. */
export const useFlowDraft = (workspace: string, path: string | undefined, username: string): ServerDraft<FlowDraft> =>
  useServerDraft<FlowDraft>({ workspace, kind: "flow", path: path ?? `u/${username}/new_flow`, parse: parseDraft });

/** Returns a draft if it has the form of one. */
function parseDraft(value: unknown): FlowDraft | undefined {
  if (!isJsonObject(value) || typeof value["text"] !== "string") return undefined;
  const { path, version, text, replaced } = value;
  const textOf = (field: unknown) => (typeof field === "string" ? field : undefined);
  return { path: textOf(path) ?? "", version: textOf(version), text, replaced: textOf(replaced) ?? "" };
}

/** Takes the replaced constants and expressions of a draft over. A text of another form has none. */
export function restoreFromDraft(flow: string, { replaced }: FlowDraft): void {
  if (replaced === "") return;
  try {
    const read = parseExactJson(replaced);
    if (isJsonObject(read)) restoreReplaced(flow, read as Replaced);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
}

const KEPT_AFTER_MS = 300;

interface KeptDraft {
  draft: ServerDraft<FlowDraft>;
  /** Identifies the flow while the page is open. */
  flow: string;
  path: string;
  version: string | undefined;
  editor: FlowEditor;
  /** Whether the flow differs from the deployed one. */
  isChanged: boolean;
}

const isSame = (a: FlowDraft | undefined, b: FlowDraft) => a?.path === b.path && a.text === b.text && a.replaced === b.replaced;

/** Keeps the draft of an editor soon after each change, and before the page is left. The text is not written for each letter. */
export function useKeptDraft({ draft, flow, path, version, editor, isChanged }: KeptDraft): void {
  const { document: edited, broken } = editor;
  const { shown, keep, discard, status } = draft;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** The last draft of this or another tab. An equal one is not sent. */
  const last = useRef(shown);
  useEffect(() => {
    last.current = shown;
  }, [shown]);
  const keepNow = useRef(() => {});
  keepNow.current = () => {
    if (timer.current === undefined) return;
    clearTimeout(timer.current);
    timer.current = undefined;
    if (!isChanged) {
      last.current = undefined;
      if (status !== "none") void discard();
      return;
    }
    const replaced = replacedIn(flow);
    const json = Object.keys(replaced).length === 0 ? "" : JSON.stringify(replaced);
    const next = { path, version, text: broken?.text ?? JSON.stringify(edited), replaced: json };
    if (isSame(last.current, next)) return;
    last.current = next;
    keep(next);
  };
  const isFirst = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each of these changes the draft
  useEffect(() => {
    if (!isFirst.current) timer.current ??= setTimeout(() => keepNow.current(), KEPT_AFTER_MS);
    isFirst.current = false;
  }, [edited, broken, path]);
  useEffect(() => {
    const leave = () => keepNow.current();
    // Before the draft itself is stored in the browser.
    window.addEventListener("pagehide", leave, { capture: true });
    document.addEventListener("visibilitychange", leave, { capture: true });
    return () => {
      window.removeEventListener("pagehide", leave, { capture: true });
      document.removeEventListener("visibilitychange", leave, { capture: true });
      leave();
    };
  }, []);
}
