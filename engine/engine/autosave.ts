/** The engine's state is in memory. It is saved only this long after the last request, so that no caller waits for it. */
const QUIET_MS = 3_000;
const LOOK_MS = 2_000;

interface Autosave {
  /** Records a request or a response. */
  touch(): void;
  stop(): void;
}

/** Saves in every pause of the traffic, so that a crash or a power cut costs the last moments and not the day's work. */
export function startAutosave(save: () => Promise<void>): Autosave {
  let touchedMs: number | undefined;
  let saving = false;
  const timer = setInterval(async () => {
    if (saving || touchedMs === undefined || Date.now() - touchedMs < QUIET_MS) return;
    touchedMs = undefined;
    saving = true;
    await save();
    saving = false;
  }, LOOK_MS);
  return {
    touch: () => {
      touchedMs = Date.now();
    },
    stop: () => clearInterval(timer),
  };
}
