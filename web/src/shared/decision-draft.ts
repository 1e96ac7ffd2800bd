import { createContext } from "react";

/** The values and the reason of a decision that was not sent. */
export interface DecisionDraft {
  values?: Record<string, unknown>;
  reason?: string;
}

interface DraftStore {
  read: () => DecisionDraft;
  keep: (change: DecisionDraft) => void;
  forget: () => void;
}

/** Keeps what a visitor types into a request. The approval page keeps nothing, because the holder of a link need not be signed in. */
export const DecisionDraftContext = createContext<DraftStore>({ read: () => ({}), keep: () => {}, forget: () => {} });
