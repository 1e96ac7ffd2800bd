import type { InternalRoute } from "./internal-route.ts";
import type { LogBuffer, LogPiece } from "./log-buffer.ts";

/** Jobs that end sooner send no beat. */
const FIRST_BEAT_MS = 1000;
const FIRST_MINUTE_MS = 60_000;
const BEAT_MS = 2000;
const LATER_BEAT_MS = 5000;
/** The longest delay of output while the job is watched. */
const WATCHED_MS = 200;
/** Output of this size is sent at once. */
const FLUSH_UNITS = 64 * 1024;
/** The limit of one beat: the API accepts bodies up to 4 MB, and a UTF-16 unit can take six bytes of JSON. */
const MAX_BEAT_UNITS = 512 * 1024;
/** After this time without an acknowledgement, and if no executor renews it, the job's lease of 60 s may soon pass to another attempt, so this one stops. */
const SILENCE_MS = 40_000;
const CALL_TIMEOUT_MS = 10_000;
/** The amount of output that the outcome may carry instead of a beat. */
const MAX_LEFT_UNITS = 256 * 1024;

export interface BeatsOptions {
  route: InternalRoute;
  log: LogBuffer;
  memPeakKb(): number;
  /** The job is watched from the start. */
  watched?: boolean;
  /** The time for which the executor waits and renews the lease. */
  executorWaitsMs?: number;
  /** Called once if the job was canceled, its attempt is no longer valid, or no beat was acknowledged for 40 s and no executor waits. */
  onStop(reason: string): void;
}

/** Sends beats while a run lasts. */
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

  /** Whether the service has ended this attempt. It accepts no report for it either. */
  get refused(): boolean {
    return this.#refused;
  }

  /** Call when there is new output. */
  wake(): void {
    // Only these two conditions advance the next beat, so rescheduling for every line of output is unnecessary.
    if (this.#watched || this.#options.log.unsentUnits >= FLUSH_UNITS) this.#schedule();
  }

  /** Stops the regular beats, then sends the output that exceeds the outcome's limit, unless the service rejects it. */
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
    // An unacknowledged beat leaves its output in the log; without a pause it would be repeated in a tight loop.
    if (log.unsentUnits >= FLUSH_UNITS) return this.#acknowledgedMs >= this.#lastMs ? this.#lastMs : this.#lastMs + 1000;
    return this.#acknowledgedMs >= this.#lastMs ? steadyMs : this.#lastMs + 1000;
  }

  /** Returns when the run stops without an acknowledgement (epoch ms). */
  #silentUntilMs(): number {
    return Math.max(this.#acknowledgedMs + SILENCE_MS, this.#startMs + (this.#options.executorWaitsMs ?? 0));
  }

  async #beat(): Promise<void> {
    const patienceMs = this.#silentUntilMs() - Date.now();
    this.#inFlight = this.#send(Math.min(CALL_TIMEOUT_MS, Math.max(500, patienceMs)));
    await this.#inFlight;
    this.#inFlight = undefined;
    if (!this.#ended && Date.now() >= this.#silentUntilMs()) {
      this.#stop(`No heartbeat was acknowledged for ${SILENCE_MS / 1000} s, so this attempt was stopped. Another attempt may follow.`);
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
