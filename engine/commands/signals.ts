/** A terminal's Ctrl-C arrives twice, from the terminal and from the launcher; within this time the second is an echo. */
const ECHO_MS = 1_000;

/** `stop` for the first signal that asks us to end, `force` for a person who asks again because it takes too long. */
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
