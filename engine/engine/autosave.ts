/** The engine's state is in memory. It is saved only this long after the last request, so that no caller waits for it. */
const QUIET_MS = 3_000;
const LOOK_MS = 2_000;
/** Traffic without a pause, for example of a page that polls, does not delay a save any longer. */
const BUSY_MS = 60_000;

interface Autosave {
  /** Records a request, a response, or the end of a run. */
  touch(): void;
  stop(): void;
}

/** Saves in every pause of the traffic, and after a minute without a pause, so that a crash or a power cut loses only the last moments. */
export function startAutosave(save: () => Promise<void>): Autosave {
  let touchedMs: number | undefined;
  let firstMs = 0;
  let saving = false;
  const timer = setInterval(async () => {
    const now = Date.now();
    if (saving || touchedMs === undefined || (now - touchedMs < QUIET_MS && now - firstMs < BUSY_MS)) return;
    touchedMs = undefined;
    saving = true;
    await save();
    saving = false;
  }, LOOK_MS);
  return {
    touch: () => {
      const now = Date.now();
      if (touchedMs === undefined) firstMs = now;
      touchedMs = now;
    },
    stop: () => clearInterval(timer),
  };
}
