import type { JSONWebKeySet } from "jose";
import { reportFailure } from "../../../core/telemetry/telemetry.ts";
import type { Uses } from "../../uses.ts";

/** Returns the keys of an issuer, or the time of the next attempt if they cannot be read. */
export type KeySetReader = (url: string, kid: string | undefined) => Promise<JSONWebKeySet | { retryAfterS: number }>;

/** Keys are read again after this time, */
const FRESH_MS = 10 * 60_000;
/** and if that fails, they are used for this time. */
const USABLE_MS = 60 * 60_000;
/** An unknown key id, and a failure, cause another request after this time at the earliest, because anyone can send a token. */
const PAUSE_MS = 30_000;
const MOST_ISSUERS = 200;

interface KnownKeys {
  keySet?: JSONWebKeySet;
  readAtMs: number;
  triedAtMs: number;
  /** The pending request. Concurrent callers share it. */
  reading?: Promise<void> | undefined;
}

/** Creates a reader that caches the keys of issuers in this process. */
export function createKeySetReader({ keySets, nowMs }: Uses<"keySets" | "nowMs">): KeySetReader {
  const issuers = new Map<string, KnownKeys>();

  const read = async (url: string, entry: KnownKeys) => {
    entry.triedAtMs = nowMs();
    try {
      entry.keySet = await keySets.fetchKeySet(url);
      entry.readAtMs = nowMs();
    } catch (error) {
      reportFailure("The keys of a token's issuer could not be read", error, { host: new URL(url).host });
    } finally {
      entry.reading = undefined;
    }
  };

  return async (url, kid) => {
    const entry = issuers.get(url) ?? { readAtMs: 0, triedAtMs: Number.NEGATIVE_INFINITY };
    // The map preserves the order of use, so the first one is the least recently used.
    issuers.delete(url);
    issuers.set(url, entry);
    for (const oldest of issuers.keys()) {
      if (issuers.size <= MOST_ISSUERS) break;
      issuers.delete(oldest);
    }
    const isFresh = entry.keySet !== undefined && nowMs() - entry.readAtMs < FRESH_MS;
    const hasKey = kid === undefined || entry.keySet?.keys.some((key) => key.kid === kid) === true;
    const mayTry = nowMs() - entry.triedAtMs >= PAUSE_MS;
    if (entry.reading || ((!isFresh || !hasKey) && mayTry)) {
      entry.reading ??= read(url, entry);
      await entry.reading;
    }
    if (entry.keySet && nowMs() - entry.readAtMs < USABLE_MS) return entry.keySet;
    return { retryAfterS: Math.max(1, Math.ceil((entry.triedAtMs + PAUSE_MS - nowMs()) / 1000)) };
  };
}
