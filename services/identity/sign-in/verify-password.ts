import { SvcError } from "../../../contract/errors.ts";
import { write } from "../../../core/objects/write.ts";
import { toAddressGroup } from "../../../core/people/address-group.ts";
import { type PersonRecord, personKey } from "../../../core/people/person.ts";
import { computeWaitMs, countAttempt, throttleRules, uncountAttempt } from "../../../core/people/sign-in-throttle.ts";
import { buildAuditItem } from "../../audit/audit.ts";
import { retryOnConflict } from "../../outbox/commit-parts.ts";
import type { Uses } from "../../uses.ts";
import { findPerson } from "../users.ts";
import {
  type AttemptChange,
  type AttemptCounter,
  COUNT_TRIES,
  changeCounter,
  createCounter,
  readCounters,
  toCounterItem,
  toCounterWrite,
} from "./attempt-counters.ts";

export interface PasswordAttempt {
  email: string;
  password: string;
  /** The caller's network address, as the last proxy of this service saw it. */
  address: string;
}

/**
 * Checks the password of a user, and returns the user, or `undefined` for a wrong password, an unknown address and a disabled user. The
 * attempt is counted before the password is checked, so that concurrent attempts are counted too. Failures are written to the audit log.
 * Throws `login.throttled`, `login.noPasswords`, `engine.busy`.
 */
export async function verifyPassword(
  deps: Uses<"objects" | "people" | "nowMs">,
  attempt: PasswordAttempt,
): Promise<PersonRecord | undefined> {
  const { objects, people } = deps;
  const { email, password } = attempt;
  if (!people.hasPasswords()) throw new SvcError("login.noPasswords", {});
  const counters = await countSignInAttempt(deps, attempt);
  const [isRight, person] = await Promise.all([people.checkPassword(email, password), findPerson(objects, email)]);
  if (isRight && person && !person.disabled) {
    await forgetFailures(deps, counters);
    return person;
  }
  await recordSignInFailure(deps, person, attempt.address);
  return undefined;
}

interface Counters {
  /** The counter of the account: for all addresses, or for this address if the account has signed in here before. */
  account: AttemptCounter;
  /** The account at this address. It exists if the account has signed in here. */
  accountHere: AttemptCounter;
  address: AttemptCounter;
}

/**
 * Counts an attempt for its account and its address. Failures elsewhere do not delay an account at an address where it has signed in, so a
 * stranger cannot lock its owner out. Unknown accounts are counted too, so the reply does not reveal which exist. Throws `login.throttled`
 * without counting, and `engine.busy`.
 */
async function countSignInAttempt({ objects, nowMs }: Uses<"objects" | "nowMs">, { email, address }: PasswordAttempt): Promise<Counters> {
  const [person, group] = [personKey(email), toAddressGroup(address)];
  const anywhere = createCounter(throttleRules.account, "account", person);
  const accountHere = createCounter(throttleRules.account, "known", person, group);
  const ofAddress = createCounter(throttleRules.address, "address", group);
  const count = async (): Promise<{ done: Counters } | undefined> => {
    const [atAnywhere, atHere, atAddress] = await readCounters(objects, [anywhere, accountHere, ofAddress]);
    const account = atHere?.item ? accountHere : anywhere;
    const now = nowMs();
    const read = [
      { counter: account, state: atHere?.item ? atHere : atAnywhere },
      { counter: ofAddress, state: atAddress },
    ];
    const waitMs = Math.max(...read.map(({ counter, state }) => computeWaitMs(state?.attempts, counter.rule, now)));
    if (waitMs > 0) throw new SvcError("login.throttled", { retryAfterS: Math.ceil(waitMs / 1000) });
    const writes = read.map(({ counter, state }) =>
      toCounterWrite(counter, state?.item, countAttempt(state?.attempts, counter.rule, now), now),
    );
    const refused = await objects.transactWrite(writes);
    return refused === undefined ? { done: { account, accountHere, address: ofAddress } } : undefined;
  };
  return retryOnConflict(count, () => new SvcError("engine.busy", {}), COUNT_TRIES);
}

/**
 * Clears the counter of an account after a success, and records its address as known. The counter of the address loses this attempt only:
 * otherwise an attacker could clear it with their own account. If the process dies before this, the attempt counts as a failure.
 */
async function forgetFailures(deps: Uses<"objects" | "nowMs">, { account, accountHere, address }: Counters): Promise<void> {
  const now = deps.nowMs();
  const addressWrite = write.put(toCounterItem(accountHere, { count: 0, lastAtMs: now }, now));
  await deps.objects.transactWrite(account === accountHere ? [addressWrite] : [addressWrite, write.remove(account.key)]);
  await changeCounter(deps, address, (attempts, atMs) => attempts && uncountAttempt(attempts, address.rule, atMs));
}

/**
 * Writes a failure to the audit log of the instance. The number of entries of an account is bounded, and the entries about unknown accounts
 * share one bound and do not contain the e-mail address: a stranger chooses it, and people type passwords into that field.
 */
export async function recordSignInFailure(
  deps: Uses<"objects" | "nowMs">,
  person: PersonRecord | undefined,
  address: string,
): Promise<void> {
  const entries = createCounter(throttleRules.auditEntries, "audit", person ? personKey(person.email) : "unknown");
  const entry = buildAuditItem(
    {
      username: person?.email ?? "unknown",
      operation: "users.login_failure",
      action_kind: "Execute",
      parameters: { address: toAddressGroup(address) },
    },
    deps.nowMs(),
  );
  const count: AttemptChange = (written, atMs) =>
    computeWaitMs(written, entries.rule, atMs) > 0 ? undefined : countAttempt(written, entries.rule, atMs);
  await changeCounter(deps, entries, count, [write.put(entry)]);
}
