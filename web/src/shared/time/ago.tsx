import { useSyncExternalStore } from "react";
import { exactText, recordedText } from "./time.ts";

const TICK_MS = 10_000;
let nowMs = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One timer serves all times of a page. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    nowMs = Date.now();
    for (const each of listeners) each();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Shows a time by its distance from now. The exact time with its zone appears on hover and on focus. */
export function Ago({ at, focusable = false }: { at: string; focusable?: boolean }) {
  const now = useSyncExternalStore(subscribe, () => nowMs);
  const exactly = exactText(at);
  return (
    <time className="ago" dateTime={at} title={exactly} data-exact={exactly} tabIndex={focusable ? 0 : undefined}>
      {recordedText(Date.parse(at), now)}
    </time>
  );
}
