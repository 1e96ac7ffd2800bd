/** A terminal's Ctrl-C arrives twice, from the terminal and from the launcher; within this time the second is an echo. */
const ECHO_MS = 1_000;

/** Calls `stop` at the first signal, and `force` at the second one, for a user who does not want to wait. */
export function onStopSignal(stop: () => void, force: () => void): void {
  let firstMs: number | undefined;
  const heard = () => {
    if (firstMs === undefined) {
      firstMs = Date.now();
      stop();
    } else if (Date.now() - firstMs > ECHO_MS) {
      force();
    }
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, heard);
}
