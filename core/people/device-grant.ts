import { randomBytes, randomInt } from "node:crypto";
import * as z from "zod";
import { defined } from "../../contract/defined.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { assertNever } from "../../contract/utilities/assert-never.ts";
import { defineObject } from "../objects/define-object.ts";
import { hashToken } from "./token.ts";

/** The grant type of a device that polls for its token (RFC 8628 §3.4). */
export const DEVICE_GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code";

const request = {
  userCode: z.string(),
  clientName: z.string().optional(),
  /** The network from which the request came. */
  address: z.string(),
  requestedAtMs: z.number(),
  expiresAtMs: z.number(),
  /** The minimum interval between two polls, and the time of the last poll that was not too early. */
  intervalS: z.number(),
  polledAtMs: z.number().optional(),
};

/**
 * A request of a device to sign in. It never contains a token: an approved request names the approver, and the token is created when the
 * device fetches it.
 */
export const deviceGrantSchema = z.discriminatedUnion("state", [
  z.object({ ...request, state: z.literal("pending") }),
  z.object({
    ...request,
    state: z.literal("approved"),
    /** `superAdmin`: the approver's own token had these rights. */
    approver: z.object({ email: z.string(), superAdmin: z.boolean() }),
    tokenExpiresAtMs: z.number(),
  }),
  z.object({ ...request, state: z.literal("denied") }),
  z.object({ ...request, state: z.literal("redeemed") }),
]);
export type DeviceGrant = z.infer<typeof deviceGrantSchema>;
type PendingGrant = Extract<DeviceGrant, { state: "pending" }>;
export type ApprovedGrant = Extract<DeviceGrant, { state: "approved" }>;

/** Consonants only, so that no code is a word (RFC 8628 §6.1). Eight of them have 34 bits. */
const ALPHABET = "BCDFGHJKLMNPQRSTVWXZ";
const USER_CODE_CHARS = 8;
const HALF = USER_CODE_CHARS / 2;

/** Creates a code that a user types. */
export const createUserCode = (): string => Array.from({ length: USER_CODE_CHARS }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");

/** Returns a code in the form for users: `BCDF-GHJK`. */
export const formatUserCode = (userCode: string): string => `${userCode.slice(0, HALF)}-${userCode.slice(HALF)}`;

/** Returns the code in a user's input, whose case, spaces and dashes do not matter, or `undefined` if it contains none. */
export function parseUserCode(typed: string): string | undefined {
  const letters = [...typed.toUpperCase()].filter((char) => !/[\s\p{Dash}_.]/u.test(char));
  return letters.length === USER_CODE_CHARS && letters.every((letter) => ALPHABET.includes(letter)) ? letters.join("") : undefined;
}

/** Creates the secret of a device: 256 random bits. Only its hash is stored. */
export function createDeviceCode(): { value: string; hash: string } {
  const value = randomBytes(32).toString("base64url");
  return { value, hash: hashToken(value) };
}

const NAME_CHARS = 60;

/**
 * Returns the name of a client for users, or `undefined` if it has none. Strangers choose it: without control characters it cannot change
 * the direction of the text around it, or begin a line.
 */
export function cleanClientName(clientName: string | null | undefined): string | undefined {
  const plain = (clientName ?? "").toWellFormed().replace(/[\p{C}\p{Z}]/gu, " ");
  const words = plain.split(" ").filter((word) => word !== "");
  const name = [...words.join(" ")].slice(0, NAME_CHARS).join("").trim();
  return name === "" ? undefined : name;
}

/** Returns the label of a device's token. */
export const labelDeviceToken = ({ clientName = "an unnamed device" }: Pick<DeviceGrant, "clientName">): string => `svc on ${clientName}`;

const FIRST_INTERVAL_S = 5;
const SLOWER_BY_S = 5;
/** A device that polls without pause must not cause a write for each poll. */
const LONGEST_INTERVAL_S = 60;

/** Creates the request of a device. */
export function createDeviceGrant(device: Pick<DeviceGrant, "userCode" | "clientName" | "address">, nowMs: number): PendingGrant {
  const { userCode, clientName, address } = device;
  return {
    state: "pending",
    userCode,
    ...defined({ clientName }),
    address,
    requestedAtMs: nowMs,
    expiresAtMs: nowMs + limits.deviceGrantMs,
    intervalS: FIRST_INTERVAL_S,
  };
}

/** The result of a poll. `next` must be stored before the device gets its answer. */
export type Poll = { answer: "redeem"; grant: ApprovedGrant } | { answer: "refuse"; error: SvcError; next?: DeviceGrant };

/**
 * Answers the poll of a device. A poll that is too early lengthens the interval, and does not count as the last one, so that a device that obeys
 * the new interval is not refused again.
 */
export function pollGrant(grant: DeviceGrant, nowMs: number): Poll {
  const { state } = grant;
  if (state === "denied") return { answer: "refuse", error: new SvcError("device.denied", {}) };
  if (state === "redeemed") return { answer: "refuse", error: new SvcError("device.invalidCode", {}) };
  if (grant.expiresAtMs <= nowMs) return { answer: "refuse", error: new SvcError("device.expired", {}) };
  switch (state) {
    case "approved":
      return { answer: "redeem", grant };
    case "pending": {
      const { polledAtMs, intervalS } = grant;
      const isEarly = polledAtMs !== undefined && nowMs < polledAtMs + intervalS * 1000;
      if (!isEarly) return { answer: "refuse", error: new SvcError("device.pending", {}), next: { ...grant, polledAtMs: nowMs } };
      const slowerS = Math.min(LONGEST_INTERVAL_S, intervalS + SLOWER_BY_S);
      const error = new SvcError("device.slowDown", { intervalS: slowerS });
      return { answer: "refuse", error, ...(slowerS === intervalS ? {} : { next: { ...grant, intervalS: slowerS } }) };
    }
    default:
      return assertNever(state);
  }
}

/** Returns the request if a user can decide it. Throws `device.notFound` for an expired one, and `device.decided`. */
export function requirePending(grant: DeviceGrant, nowMs: number): PendingGrant {
  if (grant.expiresAtMs <= nowMs) throw new SvcError("device.notFound", {});
  if (grant.state !== "pending") throw new SvcError("device.decided", {});
  return grant;
}

/** Returns a request that its user has allowed. The token will be valid until `tokenExpiresAtMs`. */
export function approveGrant(grant: PendingGrant, approver: ApprovedGrant["approver"], tokenExpiresAtMs: number): ApprovedGrant {
  return { ...grant, state: "approved", approver, tokenExpiresAtMs };
}

/** Returns a request that ends without a token, or whose token was issued. It no longer names the approver. */
export function endGrant(grant: PendingGrant | ApprovedGrant, state: "denied" | "redeemed"): DeviceGrant {
  if (grant.state === "pending") return { ...grant, state };
  const { approver: _, tokenExpiresAtMs: __, ...rest } = grant;
  return { ...rest, state };
}

/** A request of a device to sign in, by the hash of its device code. */
export const deviceGrantObject = defineObject({
  name: "request of a device",
  partition: "DEVICE",
  within: (hash: string) => hash,
  sort: () => "grant",
  belongsTo: "none",
  schema: deviceGrantSchema,
});

/** The request to which a code that users type belongs. */
export const deviceUserCodeObject = defineObject({
  name: "code of a device",
  partition: "DEVICECODE",
  within: (userCode: string) => userCode,
  sort: () => "code",
  belongsTo: "none",
  schema: z.object({ hash: z.string() }),
});
