import { randomUUID } from "node:crypto";
import { defined } from "../../../contract/defined.ts";
import { isSvcError, SvcError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import type { DeviceRequestJson } from "../../../contract/routes/people/device.ts";
import { toIsoTime } from "../../../contract/utilities/iso-time.ts";
import type { ObjectKey } from "../../../core/objects/write.ts";
import { type StoredObject, unchangedSince, write } from "../../../core/objects/write.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { toAddressGroup } from "../../../core/people/address-group.ts";
import {
  type ApprovedGrant,
  approveGrant,
  cleanClientName,
  createDeviceCode,
  createDeviceGrant,
  createUserCode,
  DEVICE_GRANT_TYPE,
  type DeviceGrant,
  deviceGrantObject,
  deviceUserCodeObject,
  endGrant,
  formatUserCode,
  labelDeviceToken,
  parseUserCode,
  pollGrant,
  requirePending,
} from "../../../core/people/device-grant.ts";
import { isSuperAdmin, type PersonRecord, personKey } from "../../../core/people/person.ts";
import { throttleRules, uncountAttempt } from "../../../core/people/sign-in-throttle.ts";
import { hashToken } from "../../../core/people/token.ts";
import type { ObjectStore } from "../../../ports/object-store.ts";
import { buildAuditItem } from "../../audit/audit.ts";
import { retryOnConflict } from "../../outbox/commit-parts.ts";
import type { Uses } from "../../uses.ts";
import { buildTokenWrites, checkExpiration, requireUnlimitedPerson } from "../tokens/tokens.ts";
import { loadPerson } from "../users.ts";
import { changeCounter, countAttempts, createCounter } from "./attempt-counters.ts";

/** An expired request is stored for longer, so that its device receives the reason for which it gets no token. */
const STORED_AFTER_MS = 3600_000;
const busy = () => new SvcError("engine.busy", {});

const toStored = ({ pk, sk }: ObjectKey, grant: DeviceGrant): StoredObject => ({
  pk,
  sk,
  value: grant,
  version: randomUUID(),
  expiresAtS: Math.ceil((grant.expiresAtMs + STORED_AFTER_MS) / 1000),
});

/**
 * Stores the request of a device to sign in, and returns its codes. The requests of one address and of all are limited. Throws
 * `device.throttled`, `engine.busy`.
 */
export async function requestDeviceCode(
  deps: Uses<"objects" | "nowMs">,
  { clientName, address }: { clientName: string | null | undefined; address: string },
): Promise<{ deviceCode: string; userCode: string; grant: DeviceGrant }> {
  const group = toAddressGroup(address);
  const counters = [createCounter(throttleRules.deviceAddress, "deviceAddress", group), createCounter(throttleRules.devices, "devices")];
  const device = createDeviceCode();
  const request = { clientName: cleanClientName(clientName), address: group };
  let grant = createDeviceGrant({ userCode: createUserCode(), ...request }, deps.nowMs());
  await countAttempts(deps, counters, () => {
    // Another attempt needs another code, because this one may belong to another device.
    grant = createDeviceGrant({ userCode: createUserCode(), ...request }, deps.nowMs());
    const item = toStored(deviceGrantObject.key(device.hash), grant);
    // TTL deletes late, so the item of an old request may still have the code.
    const unused = { absentOrExpiredAtS: Math.floor(Date.now() / 1000) };
    return [
      write.put(item, "absent"),
      write.put({ ...deviceUserCodeObject.key(grant.userCode), value: { hash: device.hash }, expiresAtS: item.expiresAtS }, unused),
    ];
  });
  return { deviceCode: device.value, userCode: formatUserCode(grant.userCode), grant };
}

/**
 * Creates the token of a device whose user has allowed it, and returns it. The same transaction marks the request as redeemed, so one of
 * several polls at once gets the token. Throws `device.pending`, `device.slowDown`, `device.denied`, also for a user who is disabled or gone,
 * `device.expired`, `device.invalidCode`, `device.grantType`, `engine.busy`.
 */
export async function redeemDeviceCode(
  deps: Uses<"objects" | "nowMs">,
  { grantType, deviceCode }: { grantType: string; deviceCode: string },
): Promise<{ token: string; expiresInS: number }> {
  const { objects, nowMs } = deps;
  if (grantType !== DEVICE_GRANT_TYPE) throw new SvcError("device.grantType", {});
  const key = deviceGrantObject.key(hashToken(deviceCode));
  return retryOnConflict(async () => {
    const stored = await objects.get(key);
    if (!stored) throw new SvcError("device.invalidCode", {});
    const poll = pollGrant(deviceGrantObject.parse(stored), nowMs());
    if (poll.answer === "redeem") return redeem(deps, stored, poll.grant);
    if (poll.next && !(await objects.put(toStored(key, poll.next), unchangedSince(stored)))) return undefined;
    throw poll.error;
  }, busy);
}

/** Returns `undefined` if another writer has changed the request or the user. */
async function redeem({ objects, nowMs }: Uses<"objects" | "nowMs">, stored: StoredObject, grant: ApprovedGrant) {
  const unchanged = unchangedSince(stored);
  const approver = await findApprover(objects, grant);
  if (!approver) {
    if (!(await objects.put(toStored(stored, endGrant(grant, "denied")), unchanged))) return undefined;
    throw new SvcError("device.denied", {});
  }
  const { person } = approver;
  const { value, prefix, writes } = buildTokenWrites(
    { ...person, superAdmin: isSuperAdmin(person) && grant.approver.superAdmin },
    { label: labelDeviceToken(grant), expiration: toIsoTime(grant.tokenExpiresAtMs) },
    nowMs(),
  );
  const entry = {
    username: person.email,
    operation: "users.token.create",
    action_kind: "Created" as const,
    resource: prefix,
    parameters: { device: labelDeviceToken(grant), address: grant.address },
  };
  const refused = await objects.transactWrite([
    write.put(toStored(stored, endGrant(grant, "redeemed")), unchanged),
    // A user who is being deleted must not get a token after the others were deleted.
    write.check(approver.stored, unchangedSince(approver.stored)),
    ...writes,
    write.put(buildAuditItem(entry, nowMs())),
  ]);
  if (refused !== undefined) return undefined;
  return { done: { token: value, expiresInS: Math.floor((grant.tokenExpiresAtMs - nowMs()) / 1000) } };
}

async function findApprover(
  objects: ObjectStore,
  { approver }: ApprovedGrant,
): Promise<{ person: PersonRecord; stored: StoredObject } | undefined> {
  try {
    const found = await loadPerson({ objects }, approver.email);
    return found.person.disabled ? undefined : found;
  } catch (error) {
    if (isSvcError(error) && error.code === "user.notFound") return undefined;
    throw error;
  }
}

/**
 * Returns the request of a device for the user who decides it. Throws `device.notFound`, `device.decided`, `device.throttled`,
 * `token.notForJobs`, `token.tooWide`, `engine.busy`.
 */
export async function getDeviceRequest(deps: Uses<"objects" | "nowMs">, actor: Actor, typedCode: string): Promise<DeviceRequestJson> {
  checkApprover(actor, deps.nowMs() + limits.deviceTokenMs);
  const { grant } = await findPending(deps, actor, typedCode);
  return {
    user_code: formatUserCode(grant.userCode),
    ...defined({ client_name: grant.clientName }),
    requested_at: toIsoTime(grant.requestedAtMs),
    expires_at: toIsoTime(grant.expiresAtMs),
    address: grant.address,
  };
}

/**
 * Records the decision of a user, once, and returns the label that the token of the device has or would have. Throws the same as
 * `getDeviceRequest`.
 */
export async function decideDeviceRequest(
  deps: Uses<"objects" | "nowMs">,
  actor: Actor,
  { userCode, approve }: { userCode: string; approve: boolean },
): Promise<string> {
  const tokenExpiresAtMs = deps.nowMs() + limits.deviceTokenMs;
  checkApprover(actor, tokenExpiresAtMs);
  const first = await findPending(deps, actor, userCode);
  const { email, superAdmin } = actor;
  return retryOnConflict(async () => {
    // The device may have polled since then, or another user may have decided.
    const { grant, stored } = await loadPending(deps, first.stored);
    const decided = approve ? approveGrant(grant, { email, superAdmin }, tokenExpiresAtMs) : endGrant(grant, "denied");
    const written = await deps.objects.put(toStored(stored, decided), unchangedSince(stored));
    return written ? { done: labelDeviceToken(grant) } : undefined;
  }, busy);
}

/** The token of a device has no limits, so a limited token must not allow one. Throws `token.notForJobs`, `token.tooWide`. */
function checkApprover(actor: Actor, tokenExpiresAtMs: number): void {
  requireUnlimitedPerson(actor);
  checkExpiration(actor, toIsoTime(tokenExpiresAtMs));
}

/**
 * Finds the pending request with a code. The attempt is counted before the code is looked up, so that concurrent attempts are counted too, and
 * only this one is forgotten if the code is valid: otherwise a user could reset the count with their own codes.
 */
async function findPending(deps: Uses<"objects" | "nowMs">, actor: Actor, typedCode: string) {
  const tries = createCounter(throttleRules.deviceCode, "deviceCode", personKey(actor.email));
  await countAttempts(deps, [tries]);
  const userCode = parseUserCode(typedCode);
  const found = userCode === undefined ? undefined : await deps.objects.get(deviceUserCodeObject.key(userCode));
  if (!found) throw new SvcError("device.notFound", {});
  const pending = await loadPending(deps, deviceGrantObject.key(deviceUserCodeObject.parse(found).hash));
  await changeCounter(deps, tries, (attempts, atMs) => attempts && uncountAttempt(attempts, tries.rule, atMs));
  return pending;
}

async function loadPending({ objects, nowMs }: Uses<"objects" | "nowMs">, key: ObjectKey) {
  const stored = await objects.get(key);
  if (!stored) throw new SvcError("device.notFound", {});
  return { stored, grant: requirePending(deviceGrantObject.parse(stored), nowMs()) };
}
