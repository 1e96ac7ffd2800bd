/** The position that the reader of a stream has reached: the id of an event. */
export interface StreamPosition {
  /** The number of characters of the result stream, in UTF-16 units. */
  stream: number;
  /** The number of characters of the log. Absent: the stream contains no log. */
  log?: number | undefined;
  /**
   * Identifies the run that the stream has started, so that a reader who resumes the stream does not start another one. Only readers of the
   * stream know it.
   */
  run?: string | undefined;
  /** The event is the last one of its run. */
  ended?: boolean | undefined;
}

const EVENT_ID = /^(\d{1,15})(?:\.(\d{1,15}))?(?:-([0-9a-f]{32}))?(-end)?$/;

/** Returns the id of an event. It begins with the offset in the result stream (api.md §2.5): `12`, `12.340`, `12-<run>`, `12.340-end`. */
export function formatEventId({ stream, log, run, ended }: StreamPosition): string {
  return `${stream}${log === undefined ? "" : `.${log}`}${run === undefined ? "" : `-${run}`}${ended ? "-end" : ""}`;
}

/** Reads the position in `Last-Event-ID`, which browsers send when they reconnect. Anything else is `undefined`. */
export function parseEventId(id: string | undefined): StreamPosition | undefined {
  const [, stream, log, run, end] = EVENT_ID.exec(id ?? "") ?? [];
  if (stream === undefined) return undefined;
  return { stream: Number(stream), log: log === undefined ? undefined : Number(log), run, ended: end !== undefined };
}
