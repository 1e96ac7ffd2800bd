import { useEffect, useRef, useState } from "react";
import { keepDraft, readDraft } from "./draft.ts";
import { type EditedDraft, parseEditedDraft } from "./edited-values.ts";
import { useDraftKey } from "./use-draft.ts";

/** Keeps the draft of a form that edits a stored object. `onOther` receives what the same person types into the form in another tab. */
export function useEditedDraft(form: readonly string[], onOther: (draft: EditedDraft) => void) {
  const key = useDraftKey("stored", ...form);
  const [initial] = useState(() => parseEditedDraft(readDraft(key)));
  const receive = useRef(onOther);
  receive.current = onOther;
  useEffect(() => {
    const read = (event: StorageEvent) => {
      const draft = event.key === key ? parseEditedDraft(readDraft(key)) : undefined;
      if (draft) receive.current(draft);
    };
    window.addEventListener("storage", read);
    return () => window.removeEventListener("storage", read);
  }, [key]);
  return {
    initial,
    keep: (draft: EditedDraft) => keepDraft(key, draft),
    forget: () => keepDraft(key, undefined),
  };
}
