import { useEffect, useMemo, useRef } from "react";
import { isJsonObject } from "../../../../../contract/json/json-object.ts";
import { keepDraft, readDraft } from "../../parts/draft/draft.ts";
import { useDraftKey } from "../../parts/draft/use-draft.ts";
import { writeYaml } from "./document/yaml.ts";
import type { FlowEditor } from "./use-flow-editor.ts";

/** The changes that a person has not deployed, with the version that they are based on. */
export interface FlowDraft {
  path: string;
  version: string | undefined;
  /** The text of the document. JSON in the browser would round its whole numbers. */
  yaml: string;
}

const KEPT_AFTER_MS = 400;

/** Reads the draft of a flow when its editor opens. */
export function useStoredDraft(form: string): { key: string; draft: FlowDraft | undefined } {
  const key = useDraftKey("flow-editor", form);
  const draft = useMemo(() => toDraft(readDraft(key)), [key]);
  return { key, draft };
}

function toDraft(stored: unknown): FlowDraft | undefined {
  if (!isJsonObject(stored) || typeof stored["yaml"] !== "string") return undefined;
  const { path, version, yaml } = stored;
  return { path: typeof path === "string" ? path : "", version: typeof version === "string" ? version : undefined, yaml };
}

export const forgetDraft = (key: string): void => keepDraft(key, undefined);

interface KeptDraft {
  key: string;
  path: string;
  version: string | undefined;
  editor: FlowEditor;
  isChanged: boolean;
}

/** Keeps the draft of an editor a moment after each change, and before the page is left. */
export function useKeptDraft({ key, path, version, editor, isChanged }: KeptDraft): void {
  const { document: edited, broken } = editor;
  const keep = useRef(() => {});
  keep.current = () => keepDraft(key, isChanged ? { path, version, yaml: broken?.text ?? writeYaml(edited) } : undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each of these changes the draft
  useEffect(() => {
    const timer = setTimeout(() => keep.current(), KEPT_AFTER_MS);
    return () => clearTimeout(timer);
  }, [key, path, version, edited, broken, isChanged]);
  useEffect(() => {
    const keepNow = () => keep.current();
    addEventListener("pagehide", keepNow);
    return () => {
      removeEventListener("pagehide", keepNow);
      keepNow();
    };
  }, []);
}
