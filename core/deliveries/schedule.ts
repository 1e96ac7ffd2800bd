import { createHash } from "node:crypto";
import { limits } from "../../contract/limits.ts";

/** Pauses between attempts (design §8). The first attempt is made immediately. */
const PAUSES_MS = [5, 300, 1800, 7200, 18_000, 36_000, 36_000].map((seconds) => seconds * 1000);
/** The number of attempts of a delivery, and of each replay. */
const MOST_ATTEMPTS = PAUSES_MS.length + 1;
/** Attempts that failed together are repeated at different times: a pause differs from the schedule by up to this share. */
const JITTER = 0.1;

/** Returns whether no attempt follows after this number of attempts. */
export const isLastAttempt = (attempts: number) => attempts >= MOST_ATTEMPTS;

export interface FailedTry {
  /** Identifies the delivery. The jitter is derived from it, so that a repeated calculation returns the same time. */
  id: string;
  /** The number of attempts of this delivery, or of its last replay. */
  attempts: number;
  atMs: number;
  /** The pause that the receiver requests. It is limited to `limits.retryAfterMs`. */
  retryAfterMs?: number | undefined;
}

/** Returns the time of the attempt that follows a failed one (epoch ms). */
export function nextAttemptAtMs({ id, attempts, atMs, retryAfterMs = 0 }: FailedTry): number {
  const share = createHash("sha256").update(`${id} ${attempts}`).digest().readUInt32BE() / 0xffff_ffff;
  const pauseMs = Math.round((PAUSES_MS[attempts - 1] ?? 0) * (1 + JITTER * (2 * share - 1)));
  return atMs + Math.max(pauseMs, Math.min(retryAfterMs, limits.retryAfterMs));
}

/** Returns the pause that a `Retry-After` header requests: seconds, or a date (RFC 9110). `undefined` if the header is neither. */
export function parseRetryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,10}$/.test(header.trim())) return Number(header) * 1000;
  const atMs = Date.parse(header);
  return /[a-z]/i.test(header) && Number.isFinite(atMs) ? Math.max(0, atMs - nowMs) : undefined;
}
