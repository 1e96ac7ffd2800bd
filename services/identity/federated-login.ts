import { randomUUID } from "node:crypto";
import type { Logins } from "../../aws/cognito/logins.ts";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import type { DataKeys } from "../../aws/kms/data-keys.ts";
import { INSTANCE } from "../../contract/common.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { keys } from "../../core/objects/keys.ts";
import { usernameOf } from "../../core/people/actor.ts";
import { isExpectedCallback, type PendingLogin, parseVerifiedPerson, pendingLoginSchema, usedLoginHash } from "../../core/people/login.ts";
import { type PersonRecord, personKey } from "../../core/people/person.ts";
import { open, seal } from "../../core/secrets/seal.ts";
import { mayJoinInstance } from "../workspaces/auto-invite.ts";
import { findPerson, openSession } from "./sign-in.ts";

interface FederateDeps {
  objects: ObjectTable;
  dataKeys: DataKeys;
  logins: Logins;
  nowMs: () => number;
  baseUrl: string;
}

/** Sealed at a place that no variable of any workspace has. */
const PLACE = { workspace: INSTANCE, path: "#login" };
const VERSION = 1;
const redirectUri = (baseUrl: string, client: string) => `${baseUrl}/api/oauth/login_callback/${client}`;

/** Where the browser goes, and what it holds until it comes back. Nothing is stored: anybody may ask for this. Throws `login.unknown`, `login.unreachable`. */
export async function beginLogin(
  deps: FederateDeps,
  client: string,
  returnTo: string | undefined,
): Promise<{ location: string; pending: string }> {
  const { logins, nowMs, baseUrl } = deps;
  const { location, ...own } = await logins.begin(client, redirectUri(baseUrl, client));
  const pending: PendingLogin = { client, ...own, untilMs: nowMs() + limits.loginMs, ...(returnTo === undefined ? {} : { returnTo }) };
  const key = await loginKey(deps);
  return { location, pending: Buffer.from(seal({ version: VERSION, key }, PLACE, JSON.stringify(pending))).toString("base64url") };
}

export interface LoginCallback {
  code?: string | undefined;
  state?: string | undefined;
  iss?: string | undefined;
  error?: string | undefined;
}

/**
 * A session for whom the provider names, and the page that they came from. What comes back counts in the browser that began, in time, and once: it is spent before the code is
 * exchanged, so that of two calls with it one goes on. Throws `login.*`.
 */
export async function completeLogin(deps: FederateDeps, client: string, answered: LoginCallback, cookie: string | undefined) {
  const { objects, logins, nowMs, baseUrl } = deps;
  if (!logins.all.some(({ name }) => name === client)) throw new SvcError("login.unknown", { client });
  const pending = await opened(deps, cookie);
  const { code, state = "", iss, error } = answered;
  if (!pending || !isExpectedCallback(pending, client, state, nowMs())) throw new SvcError("login.notBegun", { client });
  const spent = { ...keys.usedLogin(usedLoginHash(state)), expiresAtS: Math.ceil(pending.untilMs / 1000) };
  if (!(await objects.put(spent, "absent"))) throw new SvcError("login.notBegun", { client });
  if (!code) throw new SvcError("login.notConfirmed", { client, reason: error && /^\w{1,60}$/.test(error) ? error : "it sent no code" });

  const claims = await logins.redeem(client, redirectUri(baseUrl, client), { code, state, iss }, pending);
  const named = parseVerifiedPerson(claims);
  if (!named) throw new SvcError("login.unverified", { client });
  const person = (await findPerson(objects, named.email)) ?? (await createFirstSession(deps, named));
  if (person.disabled) throw new SvcError("login.denied", { email: named.email });
  return { token: await openSession({ objects, nowMs }, person), returnTo: pending.returnTo };
}

/** Somebody new, where the instance takes them. Of two first sign-ins at once, one makes the user and both go on. Throws `login.denied`. */
async function createFirstSession(
  { objects, nowMs }: FederateDeps,
  { email, name }: { email: string; name: string | undefined },
): Promise<PersonRecord> {
  if (!(await mayJoinInstance({ objects }, email))) throw new SvcError("login.denied", { email });
  const value: PersonRecord = {
    email,
    username: usernameOf(email),
    superAdmin: false,
    ...(name ? { name } : {}),
    joining: true,
    createdAtMs: nowMs(),
  };
  await objects.put({ ...keys.user(personKey(email)), value, version: randomUUID() }, "absent");
  return (await findPerson(objects, email)) ?? value;
}

async function opened(deps: FederateDeps, cookie: string | undefined): Promise<PendingLogin | undefined> {
  if (!cookie) return undefined;
  const key = await loginKey(deps);
  try {
    return pendingLoginSchema.parse(JSON.parse(open(key, PLACE, Buffer.from(cookie, "base64url").toString())));
  } catch {
    // Made up, changed, or sealed under a key that is gone: all the same to who sent it.
    return undefined;
  }
}

let known: { key: Buffer; untilMs: number } | undefined;

/** Made by the first sign-in of the instance, wrapped like the keys of secrets; of two made at once, one stays. */
async function loginKey({ objects, dataKeys, nowMs }: FederateDeps): Promise<Buffer> {
  if (known && known.untilMs > nowMs()) return known.key;
  const stored = await objects.get(keys.loginKey());
  if (!stored) {
    const { wrapped } = await dataKeys.generate(INSTANCE);
    await objects.put({ ...keys.loginKey(), value: { wrapped } }, "absent");
    return loginKey({ objects, dataKeys, nowMs } as FederateDeps);
  }
  const key = await dataKeys.unwrap(INSTANCE, (stored.value as { wrapped: string }).wrapped);
  known = { key, untilMs: nowMs() + limits.dataKeyCacheMs };
  return key;
}
