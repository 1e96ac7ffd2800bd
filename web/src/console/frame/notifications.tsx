import { CloseButton } from "@mantine/core";
import { useSyncExternalStore } from "react";
import { frameText } from "../messages/frame.ts";

interface Shown {
  id: number;
  message: string;
}

/** A message disappears after this time, unless a person closes it before. */
const SHOWN_MS = 6_000;

let shown: readonly Shown[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: readonly Shown[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

const hide = (id: number) => change(shown.filter((each) => each.id !== id));

/** Short messages about the effect of an action. Mantine's own package would be a tenth of what Runs may load. */
export const notifications = {
  show({ message }: { message: string }): void {
    lastId += 1;
    const id = lastId;
    change([...shown, { id, message }]);
    setTimeout(() => hide(id), SHOWN_MS);
  },
};

/** Shows the messages. Screen readers announce each one. */
export function Notifications() {
  const messages = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );
  return (
    <div className="notifications" role="status" aria-live="polite">
      {messages.map(({ id, message }) => (
        <div key={id} className="notification">
          {message}
          <CloseButton size="sm" aria-label={frameText.close} onClick={() => hide(id)} />
        </div>
      ))}
    </div>
  );
}
