import { createHash, randomUUID } from "node:crypto";
import { SvcError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import type { ObjectKey } from "../../../core/objects/write.ts";
import { type ObjectWrite, type StoredObject, unchangedSince, write } from "../../../core/objects/write.ts";
import {
  computeWaitMs,
  countAttempt,
  forgottenAtMs,
  type SignInAttempts,
  signInAttemptsObject,
  type ThrottleRule,
} from "../../../core/people/sign-in-throttle.ts";
import type { ObjectStore } from "../../../ports/object-store.ts";
import { retryOnConflict } from "../../outbox/commit-parts.ts";
import type { Uses } from "../../uses.ts";

/** A counter of attempts: the key of its item, the rule that applies to it, and the shortest time for which it is stored. */
export interface AttemptCounter {
  key: ObjectKey;
  rule: ThrottleRule;
  storedMs: number;
}

/** The state of a counter. `item` is absent if nothing is counted. */
export interface CounterState {
  item: StoredObject | undefined;
  attempts: SignInAttempts | undefined;
}

type CounterKind = "account" | "known" | "address" | "audit" | "deviceAddress" | "devices" | "deviceCode";

/** Returns a counter by its kind and what it counts. The key does not reveal an e-mail address or a network address. */
export function createCounter(rule: ThrottleRule, kind: CounterKind, ...of: string[]): AttemptCounter {
  const hash = createHash("sha256")
    .update([kind, ...of].join("\n"))
    .digest("hex");
  return { key: signInAttemptsObject.key(hash), rule, storedMs: kind === "known" ? limits.knownAddressMs : 0 };
}

/** Reads the current states of counters in one call. */
export async function readCounters(objects: Pick<ObjectStore, "batchGet">, counters: AttemptCounter[]): Promise<CounterState[]> {
  const found = await objects.batchGet(
    counters.map(({ key }) => key),
    { consistent: true },
  );
  return found.map((item) => ({ item, attempts: item && signInAttemptsObject.parse(item) }));
}

/** Returns the stored form of a counter, which expires when all attempts are forgotten. */
export function toCounterItem({ key, rule, storedMs }: AttemptCounter, value: SignInAttempts, nowMs: number): StoredObject {
  const expiresAtMs = Math.max(forgottenAtMs(value, rule), nowMs + storedMs);
  return { ...key, value, version: randomUUID(), expiresAtS: Math.ceil(expiresAtMs / 1000) };
}

/** Returns the write of a counter, on the condition that it has not changed since it was read. */
export function toCounterWrite(counter: AttemptCounter, item: StoredObject | undefined, value: SignInAttempts, nowMs: number): ObjectWrite {
  // TTL deletes late, so an item that was read as absent may still be stored.
  const expect = item ? unchangedSince(item) : { absentOrExpiredAtS: Math.floor(Date.now() / 1000) };
  return write.put(toCounterItem(counter, value, nowMs), expect);
}

/** The number of times that a counter is read again after another writer was first. */
export const COUNT_TRIES = 10;

/**
 * Counts an attempt in one transaction with the writes that `also` builds. Throws `device.throttled` without counting if one of the counters
 * must wait, and `engine.busy`.
 */
export async function countAttempts(
  { objects, nowMs }: Uses<"objects" | "nowMs">,
  counters: AttemptCounter[],
  also: () => ObjectWrite[] = () => [],
): Promise<void> {
  const count = async (): Promise<{ done: undefined } | undefined> => {
    const states = await readCounters(objects, counters);
    const atMs = nowMs();
    const waitMs = Math.max(...counters.map(({ rule }, index) => computeWaitMs(states[index]?.attempts, rule, atMs)));
    if (waitMs > 0) throw new SvcError("device.throttled", { retryAfterS: Math.ceil(waitMs / 1000) });
    const writes = counters.map((counter, index) =>
      toCounterWrite(counter, states[index]?.item, countAttempt(states[index]?.attempts, counter.rule, atMs), atMs),
    );
    return (await objects.transactWrite([...writes, ...also()])) === undefined ? { done: undefined } : undefined;
  };
  await retryOnConflict(count, () => new SvcError("engine.busy", {}), COUNT_TRIES);
}

/** Returns the new attempts of a counter, or `undefined` to leave it as it is. */
export type AttemptChange = (attempts: SignInAttempts | undefined, nowMs: number) => SignInAttempts | undefined;

/** Replaces a counter by the result of `change`, in one transaction with `also`. Without a result, nothing is written. */
export async function changeCounter(
  { objects, nowMs }: Uses<"objects" | "nowMs">,
  counter: AttemptCounter,
  change: AttemptChange,
  also: ObjectWrite[] = [],
): Promise<void> {
  for (let tries = 0; tries < COUNT_TRIES; tries += 1) {
    const [state] = await readCounters(objects, [counter]);
    const atMs = nowMs();
    const value = change(state?.attempts, atMs);
    if (!value) return;
    if ((await objects.transactWrite([toCounterWrite(counter, state?.item, value, atMs), ...also])) === undefined) return;
  }
}
