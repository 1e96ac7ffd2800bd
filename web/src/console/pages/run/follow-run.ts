import type { JobUpdateJson } from "../../../../../contract/routes/jobs/job.ts";
import type { StreamEventJson } from "../../../../../contract/routes/jobs/streams.ts";

/** The lengths of the log and of the output stream that a page has received. */
export interface Offsets {
  log: number;
  stream: number;
}

interface Source {
  from: Offsets;
  /** Opens a stream of events, which connects again by itself. Returns the function that closes it. */
  connect: (from: Offsets, onEvent: (event: StreamEventJson) => void) => () => void;
  /** Reads once what is new. */
  read: (from: Offsets) => Promise<JobUpdateJson>;
}

/** The service sends an event every 15 s at least. A proxy that holds them back makes the stream useless. */
export const SILENT_MS = 30_000;
export const READ_EVERY_MS = 5_000;

/**
 * Reports what a run newly writes, until it ends or the returned function is called. Follows a stream of events, and reads repeatedly once the
 * stream is silent.
 */
export function followRun({ from, connect, read }: Source, onUpdate: (update: JobUpdateJson, offsets: Offsets) => void): () => void {
  const offsets = { ...from };
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hasStopped = false;
  let disconnect = () => {};
  const stop = () => {
    hasStopped = true;
    clearTimeout(timer);
    disconnect();
  };
  const accept = (update: JobUpdateJson) => {
    offsets.log = update.log_offset ?? offsets.log;
    offsets.stream = update.stream_offset ?? offsets.stream;
    onUpdate(update, { ...offsets });
    if (update.completed) stop();
  };
  const readRepeatedly = async () => {
    // A read that fails is repeated: the page shows by itself that the service does not respond.
    const update = await read({ ...offsets }).catch(() => undefined);
    if (hasStopped) return;
    if (update) accept(update);
    if (!hasStopped) timer = setTimeout(readRepeatedly, READ_EVERY_MS);
  };
  const expectEvent = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      disconnect();
      void readRepeatedly();
    }, SILENT_MS);
  };
  expectEvent();
  disconnect = connect({ ...offsets }, (event) => {
    if (hasStopped) return;
    expectEvent();
    if (event.type === "update") accept(event);
  });
  return stop;
}
