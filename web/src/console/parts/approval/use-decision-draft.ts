import { useMemo } from "react";
import { isJsonObject } from "../../../../../contract/json/json-object.ts";
import type { DecisionDraft } from "../../../shared/decision-draft.ts";
import { keepDraft, readDraft } from "../draft/draft.ts";
import { useDraftKey } from "../draft/use-draft.ts";
import { withoutSecrets } from "../draft/without-secrets.ts";

/** Keeps the form and the reason of a request in this browser, without secrets, until the decision was sent. */
export function useDecisionDraft(gate: string, schema: Record<string, unknown> | undefined) {
  const key = useDraftKey("decision", gate);
  return useMemo(() => {
    const read = () => parseDecisionDraft(readDraft(key));
    const keep = ({ values, reason }: DecisionDraft) => {
      const before = read();
      const shown = values ? withoutSecrets(values, schema) : before.values;
      keepDraft(key, { ...before, ...(shown && { values: shown }), ...(reason !== undefined && { reason }) });
    };
    return { read, keep, forget: () => keepDraft(key, undefined) };
  }, [key, schema]);
}

function parseDecisionDraft(draft: unknown): DecisionDraft {
  const { values, reason } = isJsonObject(draft) ? draft : {};
  return { ...(isJsonObject(values) && { values }), ...(typeof reason === "string" && reason !== "" && { reason }) };
}
