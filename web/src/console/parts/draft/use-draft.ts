import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { memberQuery, meQuery, useWorkspace } from "../../data/me.ts";
import { keepDraft, keyOfDraft, readDraft } from "./draft.ts";

/** Returns the key of a form's draft for the signed-in person and the workspace of the address. The frame has loaded the person. */
export function useDraftKey(...form: readonly string[]): string {
  const workspace = useWorkspace();
  const queries = useQueryClient();
  const person = workspace
    ? queries.getQueryData(memberQuery(workspace).queryKey)?.username
    : queries.getQueryData(meQuery.queryKey)?.email;
  return keyOfDraft(person ?? "", workspace, ...form);
}

/**
 * Holds a text that is typed into a form, so that it survives a reload, an ended session and another version of the page. The third value removes
 * the draft after the text was sent. Never use it for a secret: the browser stores the text.
 */
export function useDraft(form: string, initial = ""): [text: string, change: (text: string) => void, forget: () => void] {
  const key = useDraftKey(form);
  const [text, setText] = useState(() => {
    const kept = readDraft(key);
    return typeof kept === "string" ? kept : initial;
  });
  const change = (next: string) => {
    setText(next);
    keepDraft(key, next === initial ? undefined : next);
  };
  return [text, change, () => keepDraft(key, undefined)];
}
