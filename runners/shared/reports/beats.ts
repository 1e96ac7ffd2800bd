import type { InternalRoute } from "./internal-route.ts";
import type { LogBuffer, LogPiece } from "./log-buffer.ts";

/** Jobs that end sooner never call. */
const FIRST_BEAT_MS = 1000;
const FIRST_MINUTE_MS = 60_000;
const BEAT_MS = 2000;
const LATER_BEAT_MS = 5000;
/** Output waits this long while somebody reads along. */
const WATCHED_MS = 200;
/** Output of this size does not wait. */
const FLUSH_UNITS = 64 * 1024;
/** Of one beat: the API takes bodies up to 4 MB, and a unit may become six bytes of JSON. */
const MAX_BEAT_UNITS = 512 * 1024;
/** A supervisor that hears nothing for this long must assume that its lease of 60 s is about to be given away. */
const SILENCE_MS = 40_000;
const CALL_TIMEOUT_MS = 10_000;
/** What may travel in the outcome instead of a beat. */
const MAX_LEFT_UNITS = 256 * 1024;

export interface BeatsOptions {
  route: InternalRoute;
  log: LogBuffer;
  memPeakKb(): number;
  /** Somebody reads along from the start. */
  watched?: boolean;
  /** The job was canceled, does not count any more, or nobody has answered for 40 s. */
  onStop(reason: string): void;
}

/** Beats for as long as a run lasts. */
export class Beats {
  readonly #options: BeatsOptions;
  readonly #startMs = Date.now();
  #acknowledgedMs = this.#startMs;
  #lastMs = this.#startMs;
  #watched: boolean;
  #called = false;
  #ended = false;
  #refused = false;
  #inFlight: Promise<boolean> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: BeatsOptions) {
    this.#options = options;
    this.#watched = options.watched ?? false;
    this.#schedule();
  }

  /** The service said that this attempt is over: it takes no report either. */
  get refused(): boolean {
    return this.#refused;
  }

  /** Call when there is new output. */
  wake(): void {
    // Only these two can bring the next beat forward, so a chatty script costs nothing else.
    if (this.#watched || this.#options.log.unsentUnits >= FLUSH_UNITS) this.#schedule();
  }

  /** No beat begins after this; sends what is too much for the outcome, as long as it is taken. */
  async end(): Promise<void> {
    this.#ended = true;
    clearTimeout(this.#timer);
    await this.#inFlight;
    let failures = 0;
    while (this.#options.log.unsentUnits > MAX_LEFT_UNITS && failures < 2 && !this.#refused) {
      if (!(await this.#send(3000))) failures++;
    }
  }

  #schedule(): void {
    if (this.#ended || this.#inFlight) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#beat(), Math.max(0, this.#dueMs() - Date.now()));
  }

  #dueMs(): number {
    const { log } = this.#options;
    if (!this.#called) return this.#watched && log.unsentUnits > 0 ? this.#startMs : this.#startMs + FIRST_BEAT_MS;
    const steadyMs = this.#lastMs + (this.#lastMs - this.#startMs < FIRST_MINUTE_MS ? BEAT_MS : LATER_BEAT_MS);
    if (this.#watched && log.unsentUnits > 0) return Math.min(steadyMs, this.#lastMs + WATCHED_MS);
    // A beat that was not acknowledged leaves its output behind: it must not be repeated without a pause.
    if (log.unsentUnits >= FLUSH_UNITS) return this.#acknowledgedMs >= this.#lastMs ? this.#lastMs : this.#lastMs + 1000;
    return this.#acknowledgedMs >= this.#lastMs ? steadyMs : this.#lastMs + 1000;
  }

  async #beat(): Promise<void> {
    const patienceMs = SILENCE_MS - (Date.now() - this.#acknowledgedMs);
    this.#inFlight = this.#send(Math.min(CALL_TIMEOUT_MS, Math.max(500, patienceMs)));
    await this.#inFlight;
    this.#inFlight = undefined;
    if (!this.#ended && Date.now() - this.#acknowledgedMs >= SILENCE_MS) {
      this.#stop(`The service did not answer for ${SILENCE_MS / 1000} s, so the job was stopped here; it may run again elsewhere.`);
      return;
    }
    this.#schedule();
  }

  async #send(timeoutMs: number): Promise<boolean> {
    const { route, log, memPeakKb } = this.#options;
    const logs: LogPiece = log.peek(MAX_BEAT_UNITS);
    this.#lastMs = Date.now();
    this.#called = true;
    const memory = memPeakKb();
    const beat = await route.beat({ ...(logs.text && { logs }), ...(memory > 0 && { memPeakKb: memory }) }, timeoutMs);
    if (!beat.acknowledged) return false;
    this.#acknowledgedMs = Date.now();
    log.acknowledge(logs);
    this.#watched = beat.reply.watched;
    if (beat.reply.go === "stop") {
      this.#refused = true;
      if (!this.#ended) this.#stop(beat.reply.reason || "The job was canceled.");
    }
    return true;
  }

  #stop(reason: string): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#options.onStop(reason);
  }
}
