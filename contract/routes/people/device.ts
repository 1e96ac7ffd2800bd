import * as z from "zod";
import { timestamp } from "../../common.ts";
import { defineRoute } from "../../route.ts";

const open = { method: "POST", fn: "people", auth: "none", access: "open", status: 200, form: true } as const;
const signedIn = { fn: "people", auth: "token", status: 200 } as const;
const selfAccess = { domain: "tokens", need: "self", target: "none", personal: true } as const;
const userCode = z.string().min(1).max(50).describe("The code that the device shows. Case, spaces and dashes do not matter.");

export const deviceRequestSchema = z.object({
  user_code: z.string(),
  /** The name that the client chose. */
  client_name: z.string().optional(),
  requested_at: timestamp,
  expires_at: timestamp,
  /** The network address from which the request came, or the network of an IPv6 address. */
  address: z.string(),
});
export type DeviceRequestJson = z.output<typeof deviceRequestSchema>;

/** The device authorization grant (RFC 8628). */
export const deviceRoutes = {
  requestDeviceCode: defineRoute({
    ...open,
    name: "auth.requestDeviceCode",
    summary: "Request codes with which a user can sign in a device or a command line.",
    path: "/api/auth/device",
    audits: "nothing",
    body: z.object({ client_name: z.string().max(1000).nullish().describe("Shown to the user.") }),
    reply: {
      json: z.object({
        device_code: z.string(),
        user_code: z.string(),
        verification_uri: z.string(),
        verification_uri_complete: z.string(),
        expires_in: z.number().describe("Seconds."),
        interval: z.number().describe("Seconds between two requests for the token."),
      }),
    },
    errors: ["device.throttled", "login.otherSite", "engine.busy"],
  }),
  redeemDeviceCode: defineRoute({
    ...open,
    name: "auth.redeemDeviceCode",
    summary: "Get the token of a device once the user has allowed it. It is returned only once.",
    path: "/api/auth/device/token",
    audits: "useCase",
    body: z.object({ grant_type: z.string().max(200), device_code: z.string().max(200) }),
    reply: { json: z.object({ access_token: z.string(), token_type: z.literal("Bearer"), expires_in: z.number().describe("Seconds.") }) },
    errors: [
      "device.pending",
      "device.slowDown",
      "device.denied",
      "device.expired",
      "device.invalidCode",
      "device.grantType",
      "login.otherSite",
      "engine.busy",
    ],
    oauthErrors: {
      "device.pending": "authorization_pending",
      "device.slowDown": "slow_down",
      "device.denied": "access_denied",
      "device.expired": "expired_token",
      "device.invalidCode": "invalid_grant",
      "device.grantType": "unsupported_grant_type",
    },
  }),
  getDeviceRequest: defineRoute({
    ...signedIn,
    method: "GET",
    name: "auth.getDeviceRequest",
    summary: "Get the request of a device that shows a code. It takes a session, or a token without limits.",
    path: "/api/auth/device/{user_code}",
    access: { ...selfAccess, verb: "read" },
    hiddenInLogs: ["user_code"],
    params: z.object({ user_code: userCode }),
    reply: { json: deviceRequestSchema },
    errors: ["device.notFound", "device.decided", "device.throttled", "token.notForJobs", "token.tooWide", "engine.busy"],
  }),
  decideDeviceRequest: defineRoute({
    ...signedIn,
    method: "POST",
    name: "auth.decideDeviceRequest",
    summary: "Allow or refuse that a device signs in as you. It takes a session, or a token without limits.",
    path: "/api/auth/device/approve",
    access: { ...selfAccess, verb: "write" },
    audits: { kind: "Updated", resource: { reply: "named" } },
    body: z.object({ user_code: userCode, approve: z.boolean() }),
    reply: { text: "A confirmation." },
    errors: [
      "device.notFound",
      "device.decided",
      "device.throttled",
      "token.notForJobs",
      "token.tooWide",
      "login.otherSite",
      "engine.busy",
    ],
  }),
};
