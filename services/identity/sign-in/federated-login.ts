import { randomUUID } from "node:crypto";
import { INSTANCE } from "../../../contract/common.ts";
import { defined } from "../../../contract/defined.ts";
import { SvcError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import { write } from "../../../core/objects/write.ts";
import { deriveUsername } from "../../../core/people/actor.ts";
import {
  hashUsedLogin,
  isExpectedCallback,
  loginKeyObject,
  type PendingLogin,
  parseVerifiedPerson,
  pendingLoginSchema,
  usedLoginObject,
} from "../../../core/people/login.ts";
import { type PersonRecord, personKey, userObject } from "../../../core/people/person.ts";
import { openSecret } from "../../../core/secrets/open.ts";
import { sealSecret } from "../../../core/secrets/seal.ts";
import { buildInstanceEventWrites } from "../../outbox/instance-event.ts";
import type { Uses } from "../../uses.ts";
import { mayJoinInstance } from "../../workspaces/auto-invite.ts";
import { findPerson } from "../users.ts";
import { openSession } from "./sign-in.ts";
import { recordSignInFailure } from "./verify-password.ts";

type FederatedLoginDeps = Uses<"objects" | "dataKeys" | "logins" | "nowMs" | "baseUrl" | "instanceEventsUrl">;

/** No variable of any workspace has this path. */
const SEAL_CONTEXT = { workspace: INSTANCE, path: "#login" };
const KEY_VERSION = 1;
const redirectUri = (baseUrl: string, client: string) => `${baseUrl}/api/oauth/login_callback/${client}`;

/**
 * Returns the provider's URL for the browser, and the sealed state that the browser holds until it returns. Nothing is stored, because
 * anyone may call this. Throws `login.unknown`, `login.unreachable`.
 */
export async function beginLogin(
  deps: FederatedLoginDeps,
  client: string,
  returnTo: string | undefined,
): Promise<{ location: string; pending: string }> {
  const { logins, nowMs, baseUrl } = deps;
  const { location, ...loginState } = await logins.beginSignIn(client, redirectUri(baseUrl, client));
  const pending: PendingLogin = { client, ...loginState, untilMs: nowMs() + limits.loginMs, ...defined({ returnTo }) };
  const key = await loadLoginKey(deps);
  return {
    location,
    pending: Buffer.from(sealSecret({ version: KEY_VERSION, key }, SEAL_CONTEXT, JSON.stringify(pending))).toString("base64url"),
  };
}

export interface LoginCallback {
  code?: string | undefined;
  state?: string | undefined;
  iss?: string | undefined;
  error?: string | undefined;
}

/** The browser that returns from a provider. */
interface Browser {
  /** The cookie with the sealed state. */
  cookie: string | undefined;
  /** The network address. */
  address: string;
}

/**
 * Opens a session for the person in the provider's claims, and returns its token with the page to return to. A callback is accepted only from the
 * browser that began the login, in time, and once: its state is recorded as used before the code is redeemed, so only one of two concurrent calls
 * succeeds. Throws `login.*`.
 */
export async function completeLogin(deps: FederatedLoginDeps, client: string, callback: LoginCallback, browser: Browser) {
  const { objects, logins, nowMs, baseUrl } = deps;
  if (!logins.all.some(({ name }) => name === client)) throw new SvcError("login.unknown", { client });
  const pending = await openPendingLogin(deps, browser.cookie);
  const { code, state = "", iss, error } = callback;
  if (!pending || !isExpectedCallback(pending, client, state, nowMs())) throw new SvcError("login.notBegun", { client });
  const spent = { ...usedLoginObject.key(hashUsedLogin(state)), expiresAtS: Math.ceil(pending.untilMs / 1000) };
  if (!(await objects.put(spent, "absent"))) throw new SvcError("login.notBegun", { client });
  if (!code) throw new SvcError("login.notConfirmed", { client, reason: error && /^\w{1,60}$/.test(error) ? error : "it sent no code" });

  const claims = await logins.redeemCode(client, redirectUri(baseUrl, client), { code, state, iss }, pending);
  const named = parseVerifiedPerson(claims);
  if (!named) throw new SvcError("login.unverified", { client });
  const { address } = browser;
  const existing = await findPerson(objects, named.email);
  if (existing ? existing.disabled : !(await mayJoinInstance({ objects }, named.email))) {
    await recordSignInFailure(deps, existing, address);
    throw new SvcError("login.denied", { email: named.email });
  }
  const person = existing ?? (await createFederatedPerson(deps, named));
  return {
    token: await openSession(deps, person, { operation: "oauth.login", address, client }),
    returnTo: pending.returnTo,
  };
}

/** Creates a new person. Two concurrent first logins create one person. */
async function createFederatedPerson(
  deps: FederatedLoginDeps,
  { email, name }: { email: string; name: string | undefined },
): Promise<PersonRecord> {
  const { objects, nowMs } = deps;
  const value: PersonRecord = {
    email,
    username: deriveUsername(email),
    superAdmin: false,
    ...(name ? { name } : {}),
    joining: true,
    createdAtMs: nowMs(),
  };
  const { username } = value;
  await objects.transactWrite([
    write.put({ ...userObject.key(personKey(email)), value, version: randomUUID() }, "absent"),
    ...(await buildInstanceEventWrites(deps, [{ type: "UserSignupOauth", data: { email, username } }])),
  ]);
  return (await findPerson(objects, email)) ?? value;
}

async function openPendingLogin(deps: FederatedLoginDeps, cookie: string | undefined): Promise<PendingLogin | undefined> {
  if (!cookie) return undefined;
  const key = await loadLoginKey(deps);
  try {
    return pendingLoginSchema.parse(JSON.parse(openSecret(key, SEAL_CONTEXT, Buffer.from(cookie, "base64url").toString())));
  } catch {
    // A cookie that was forged, changed, or sealed under an old key counts as absent.
    return undefined;
  }
}

let cachedLoginKey: { key: Buffer; untilMs: number } | undefined;

/**
 * Loads the key that seals pending logins. The first login creates it, wrapped like the keys of secrets; concurrent logins share the stored
 * one.
 */
async function loadLoginKey(deps: FederatedLoginDeps): Promise<Buffer> {
  const { objects, dataKeys, nowMs } = deps;
  if (cachedLoginKey && cachedLoginKey.untilMs > nowMs()) return cachedLoginKey.key;
  const stored = await objects.get(loginKeyObject.key());
  if (!stored) {
    const { wrapped } = await dataKeys.generate(INSTANCE);
    await objects.put({ ...loginKeyObject.key(), value: { wrapped } }, "absent");
    return loadLoginKey(deps);
  }
  const key = await dataKeys.unwrap(INSTANCE, loginKeyObject.parse(stored).wrapped);
  cachedLoginKey = { key, untilMs: nowMs() + limits.dataKeyCacheMs };
  return key;
}
