import { useSyncExternalStore } from "react";

type State = "open" | "ended";

let state: State = "open";
const listeners = new Set<() => void>();

function change(next: State): void {
  if (state === next) return;
  state = next;
  for (const listener of listeners) listener();
}

/** Whether the service has refused the session of this browser. The page then asks in place, and what was typed stays. */
export const session = { end: () => change("ended"), resume: () => change("open") };

export const useSessionState = (): State =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );
