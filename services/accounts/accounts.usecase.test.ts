import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { accountObject, accountSchema, dueRefreshObject, type IssuedTokens, type RefreshCall } from "../../core/accounts/account.ts";
import { CONNECT_CLIENTS } from "../../core/accounts/client.ts";
import { mailNoticeSchema } from "../../core/notifications/mail-notice.ts";
import { noticeObject } from "../../core/notifications/stored-notice.ts";
import { instanceSettingObject } from "../../core/objects/setting.ts";
import type { Person } from "../../core/people/actor.ts";
import { variableObject } from "../../core/variables/variable.ts";
import type { TokenEndpoints } from "../../ports/identity-providers.ts";
import { withFault } from "../../test/support/use-cases/failing-writes.ts";
import type { World } from "../../test/support/use-cases/world.ts";
import { newIsolation } from "../../test/support/use-cases/world-jobs.ts";
import { newWorldWithFolder } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin, aReader } from "../../test/support/use-cases/world-people.ts";
import { listResources } from "../resources/read.ts";
import { createResource } from "../resources/save.ts";
import { getGlobalSetting, listGlobalSettings } from "../settings/instance.ts";
import { getVariable } from "../variables/read.ts";
import { createVariable, deleteVariable, updateVariable } from "../variables/save.ts";
import { createAccount, disconnectAccount, permitAccount } from "./accounts.ts";
import { loadConnectClient, setConnectClients } from "./clients.ts";
import { beginConnect, completeConnect } from "./connect.ts";
import { refreshAccount } from "./refresh.ts";
import { refreshAccounts } from "./refresh-accounts.ts";
import { startDueRefreshes } from "./start-refreshes.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const PATH_CONFIG = { auth_url: "https://id.acme.example/auth", token_url: "https://id.acme.example/token", scopes: ["read"] };
const CLIENT = { id: "client-1", secret: "planted-client-secret", connect_config: PATH_CONFIG };

let world: World;
/** A stand-in for the other service, with the answer of the next refresh. Each refresh token works once. */
let valid: Set<string>;
let refreshes: string[];
let answer: (token: string) => Promise<IssuedTokens>;

const issue = (expiresInS: number | undefined = 3600): IssuedTokens => {
  const refreshToken = `refresh-${randomUUID()}`;
  valid.add(refreshToken);
  return { accessToken: `access-${randomUUID()}`, refreshToken, expiresInS, scopes: ["read"] };
};
const refused = (client: string) => new SvcError("connect.notConfirmed", { client, reason: "invalid_grant" });
const tokenEndpoints: TokenEndpoints = {
  beginConnect: async () => ({ state: randomUUID(), verifier: "v".repeat(43), location: "https://id.acme.example/auth?x" }),
  redeemCode: async (client, _, { code, verifier }) => {
    if (code !== "good" || verifier !== "v".repeat(43)) throw refused(client.name);
    return issue();
  },
  refreshTokens: async (_, token) => {
    refreshes.push(token);
    return answer(token);
  },
};
const deps = () => ({ ...world.deps, tokenEndpoints });

beforeAll(async () => {
  world = await newWorldWithFolder();
  await setConnectClients(deps(), { acme: CLIENT });
});
beforeEach(async () => {
  // The accounts of other tests are no longer due.
  for (const entry of await world.deps.objects.list(dueRefreshObject.partitionKey())) await world.deps.objects.deleteItem(entry);
  valid = new Set();
  refreshes = [];
  answer = async (token) => {
    if (!valid.delete(token)) throw refused("acme");
    return issue();
  };
});

const ann = anAdmin;
const newPath = () => `f/t/${randomUUID()}`;
const caller = (actor: Person = ann) => ({ actor, workspace: world.workspace });

/** The state of a begun connection, which a test reads as the browser would from the URL. */
async function startConnecting(owner = ann.email): Promise<{ cookie: string; state: string }> {
  const state = randomUUID();
  const begun = { ...tokenEndpoints, beginConnect: async () => ({ state, verifier: "v".repeat(43), location: "" }) };
  const { pending } = await beginConnect({ ...deps(), tokenEndpoints: begun }, owner, { client: "acme", scopes: undefined });
  return { cookie: pending, state };
}
async function connect(owner = ann.email) {
  const { cookie, state } = await startConnecting(owner);
  return completeConnect(deps(), "acme", { code: "good", state }, { cookie, caller: owner });
}
async function connectAt(path: string): Promise<number> {
  const { refreshToken } = await connect();
  return createAccount(deps(), caller(), { client: "acme", refresh_token: refreshToken, path });
}
const read = (path: string) =>
  getVariable(world.deps, { ...caller(), actor: ann } as never, path, { decrypted: true, encrypted: false }).then(({ json }) => json);
const loadAccount = async (id: number) => {
  const found = await world.deps.objects.get(accountObject.key(world.workspace, id));
  return found && accountSchema.parse(found.value);
};
/** A tick of housekeeping, and the resulting call of function `objects`. */
async function tick(): Promise<number> {
  const calls: RefreshCall[] = [];
  const isolation = newIsolation(world);
  const startRefreshing = async (call: RefreshCall) => void calls.push(call);
  const functions = { ...world.deps.functions, startRefreshing };
  await startDueRefreshes({ ...world.deps, isolation, functions });
  let refreshed = 0;
  for (const call of calls) refreshed += await refreshAccounts(deps(), call);
  return refreshed;
}
const queued = async (id: number) =>
  (await world.deps.objects.list(dueRefreshObject.partitionKey())).filter(({ sk }) => sk.endsWith(`#${world.workspace}#${id}`));
const mails = async () =>
  (await world.deps.objects.list(noticeObject.partitionKey(world.workspace))).map(({ value }) => mailNoticeSchema.parse(value));

it("a text that the service did not seal creates no key, because a request without a token may contain one", async () => {
  const generate = () => expect.fail("a key was created");
  const objects = { ...world.deps.objects, get: async () => undefined, put: generate };
  const empty = { ...deps(), objects, accountKeys: { ...world.deps.accountKeys, generate }, nowMs: () => Number.MAX_SAFE_INTEGER };
  await expect(completeConnect(empty, "acme", { code: "good", state: "x" }, { cookie: "eA" })).rejects.toMatchObject({
    code: "connect.notBegun",
  });
  const request = { client: "acme", refresh_token: "eA" };
  await expect(createAccount(empty, caller(), request)).rejects.toMatchObject({ code: "account.token" });
});

describe("the clients of the instance", () => {
  it("have secrets that no reply shows, and that are bound to the URL for which they were entered", async () => {
    const stored = JSON.stringify(await world.deps.objects.get(instanceSettingObject.key(CONNECT_CLIENTS)));
    const shown = [await getGlobalSetting(world.deps, ann, CONNECT_CLIENTS), await listGlobalSettings(world.deps)];
    expect(shown[0]).toMatchObject({ json: { acme: { id: "client-1", connect_config: PATH_CONFIG } } });
    expect(stored + JSON.stringify(shown)).not.toContain("planted-client-secret");
    expect(JSON.stringify(shown)).not.toContain("svc1:");
    await setConnectClients(deps(), { acme: { id: "client-1", connect_config: { ...PATH_CONFIG, scopes: ["read", "write"] } } });
    expect((await loadConnectClient(deps(), "acme")).secret).toBe("planted-client-secret");
    await setConnectClients(deps(), { acme: { id: "client-1", connect_config: { ...PATH_CONFIG, token_url: "https://evil.example/" } } });
    expect((await loadConnectClient(deps(), "acme")).secret).toBeUndefined();
    await setConnectClients(deps(), { acme: CLIENT });
  });

  it.each([
    ["a URL without TLS", { auth_url: "http://id.acme.example/auth" }],
    ["a URL that is a script", { auth_url: "javascript:alert(1)" }],
    ["a parameter of the service", { extra_params: { redirect_uri: "https://evil.example" } }],
  ])("cannot have %s", async (_, change) => {
    const value = { acme: { ...CLIENT, connect_config: { ...PATH_CONFIG, ...change } } };
    await expect(setConnectClients(deps(), value)).rejects.toMatchObject({ code: "setting.value" });
  });
});

describe("a connection", () => {
  it("is completed once, in time, by the user and the browser that began it", async () => {
    const notBegun = { code: "connect.notBegun" };
    const { cookie, state } = await startConnecting();
    const complete = (fields: object = {}, from: object = {}) =>
      completeConnect(deps(), "acme", { code: "good", state, ...fields }, { cookie, caller: ann.email, ...from });
    await expect(complete({}, { cookie: undefined })).rejects.toMatchObject(notBegun);
    await expect(complete({}, { cookie: "x" })).rejects.toMatchObject(notBegun);
    await expect(complete({}, { cookie: (await startConnecting()).cookie })).rejects.toMatchObject(notBegun);
    await expect(complete({ state: "other" })).rejects.toMatchObject(notBegun);
    await expect(complete({}, { caller: "eve@example.com" })).rejects.toMatchObject(notBegun);
    await expect(completeConnect(deps(), "other", { code: "good", state }, { cookie })).rejects.toMatchObject(notBegun);
    const [one, other] = await Promise.allSettled([complete(), complete()]);
    expect([one.status, other.status].sort()).toEqual(["fulfilled", "rejected"]);
    const late = await startConnecting();
    world.clock.nowMs += limits.loginMs;
    await expect(completeConnect(deps(), "acme", { code: "good", state: late.state }, late)).rejects.toMatchObject(notBegun);
  });

  it("never shows its refresh token, and the sealed text in its place works only here, for its user, for ten minutes", async () => {
    const { refreshToken } = await connect();
    expect(Buffer.from(refreshToken, "base64url").toString()).not.toMatch(/refresh-|access-/);
    const eve = { ...ann, email: "eve@example.com" };
    const request = { client: "acme", refresh_token: refreshToken };
    await expect(createAccount(deps(), caller(eve), request)).rejects.toMatchObject({ code: "account.token" });
    await expect(createAccount(deps(), caller(), { ...request, client: "b" })).rejects.toMatchObject({ code: "account.token" });
    await expect(createAccount(deps(), caller(), { ...request, refresh_token: "eA" })).rejects.toMatchObject({ code: "account.token" });
    world.clock.nowMs += limits.loginMs;
    await expect(createAccount(deps(), caller(), request)).rejects.toMatchObject({ code: "account.token" });
  });
});

describe("an account", () => {
  it("is one account and one variable, even if its call is repeated after each of its writes", async () => {
    const { refreshToken, accessToken } = await connect();
    const path = newPath();
    const request = { client: "acme", refresh_token: refreshToken, path };
    for (let write = 1; write <= 2; write += 1) {
      await withFault({ write, moment: "after", kind: "death" }, () => createAccount(deps(), caller(), request));
    }
    const id = await createAccount(deps(), caller(), request);
    expect(await createAccount(deps(), caller(), request)).toBe(id);
    expect(await read(path)).toMatchObject({
      value: accessToken,
      account: id,
      is_secret: true,
      is_oauth: true,
      is_refreshed: true,
      is_expired: false,
    });
    expect(await queued(id)).toHaveLength(1);
    expect(JSON.stringify(await loadAccount(id))).not.toContain("refresh-");
  });

  it("is shown by the resource at the path of its variable", async () => {
    const path = newPath();
    const id = await connectAt(path);
    await createResource(world.deps, caller(), { path, value: { token: `$var:${path}` }, resource_type: "any" });
    const [resource] = await listResources(world.deps, world.workspace, { path }, () => true);
    expect(resource).toMatchObject({ account: id, is_oauth: true, is_linked: true, is_refreshed: true, is_expired: false });
  });

  it("gives its token to no variable of another user, and to one variable only", async () => {
    const { refreshToken, accessToken } = await connect();
    const id = await createAccount(deps(), caller(), { client: "acme", refresh_token: refreshToken });
    const eve = { ...ann, email: "eve@example.com" };
    const [hers, mine, second] = [newPath(), newPath(), newPath()];
    const variable = { value: accessToken, is_secret: true, description: "", account: id, is_oauth: true };
    await createVariable(world.deps, caller(eve), { ...variable, path: hers });
    await createVariable(world.deps, caller(), { ...variable, path: mine });
    await createVariable(world.deps, caller(), { ...variable, path: second });
    expect([(await read(hers)).is_refreshed, (await read(mine)).is_refreshed, (await read(second)).is_refreshed]).toEqual([
      false,
      true,
      false,
    ]);
    await refreshAccount(deps(), { workspace: world.workspace, account: id });
    expect((await read(hers)).value).toBe(accessToken);
    expect((await read(mine)).value).not.toBe(accessToken);
  });

  it("moves and ends with its variable", async () => {
    const [path, to] = [newPath(), newPath()];
    const id = await connectAt(path);
    await updateVariable(world.deps, { ...caller(), path }, { path: to });
    await refreshAccount(deps(), { workspace: world.workspace, account: id });
    expect(await read(to)).toMatchObject({ account: id, is_refreshed: true });
    await deleteVariable(world.deps, { actor: ann, workspace: world.workspace, path: to });
    expect([await loadAccount(id), await queued(id)]).toEqual([undefined, []]);
  });

  it("that is removed leaves its last token, which is not refreshed any more", async () => {
    const path = newPath();
    const id = await connectAt(path);
    const reader = aReader(world.workspace, ["t"]);
    await expect(permitAccount(deps(), caller(reader), id)).rejects.toMatchObject({ code: "auth.forbidden" });
    await expect(permitAccount(deps(), caller(aReader(world.workspace, [])), id)).rejects.toMatchObject({ code: "account.notFound" });
    const { value } = await read(path);
    await disconnectAccount(deps(), caller(), id);
    const after = await read(path);
    expect(after).toMatchObject({ value, is_refreshed: false });
    expect(after).not.toHaveProperty("account");
    expect(await queued(id)).toEqual([]);
    await expect(disconnectAccount(deps(), caller(), id)).rejects.toMatchObject({ code: "account.notFound" });
  });
});

describe("the token of an account", () => {
  it("is refreshed before each expiry, with the newest refresh token", async () => {
    const path = newPath();
    const id = await connectAt(path);
    const { value: first } = await read(path);
    world.clock.nowMs += HOUR_MS - limits.refreshBeforeMs - MINUTE_MS;
    expect(await tick()).toBe(0);
    world.clock.nowMs += 2 * MINUTE_MS;
    expect(await tick()).toBe(1);
    const second = await read(path);
    expect(second).toMatchObject({ is_expired: false, expires_at: new Date(world.clock.nowMs + HOUR_MS).toISOString() });
    expect(second.value).not.toBe(first);
    expect(await tick()).toBe(0);
    world.clock.nowMs += HOUR_MS - MINUTE_MS;
    expect(await tick()).toBe(1);
    expect(new Set(refreshes).size).toBe(2);
    expect(await queued(id)).toHaveLength(1);
    await disconnectAccount(deps(), caller(), id);
  });

  it("is refreshed once by several calls at the same time, so that a rotated refresh token is not used twice", async () => {
    const path = newPath();
    const id = await connectAt(path);
    const ref = { workspace: world.workspace, account: id };
    let release = () => {};
    const rotate = answer;
    answer = async (token) => {
      await new Promise<void>((resolve) => (release = resolve));
      return rotate(token);
    };
    const running = refreshAccount(deps(), ref);
    await expect.poll(() => refreshes.length).toBe(1);
    await expect(refreshAccount(deps(), ref)).rejects.toMatchObject({ code: "account.busy" });
    // The user changes and renames the variable during the refresh.
    const to = newPath();
    await updateVariable(world.deps, { ...caller(), path }, { path: to, description: "changed" });
    release();
    await running;
    expect(refreshes).toHaveLength(1);
    expect(await read(to)).toMatchObject({ description: "changed", is_refreshed: true, value: expect.stringMatching(/^access-/) });
    answer = rotate;
    await refreshAccount(deps(), ref);
    await disconnectAccount(deps(), caller(), id);
  });

  it("is refreshed later if the process dies at any of its writes, and the variable keeps its account", async () => {
    // This stand-in does not rotate its refresh tokens, so that a repetition can succeed.
    answer = async () => ({ ...issue(), refreshToken: undefined });
    const path = newPath();
    const id = await connectAt(path);
    for (const moment of ["before", "after"] as const) {
      for (let write = 1; write <= 2; write += 1) {
        await withFault({ write, moment, kind: "death" }, () => refreshAccount(deps(), { workspace: world.workspace, account: id }));
        const account = await loadAccount(id);
        const variable = await read(path);
        expect(variable.expires_at).toBe(new Date(account?.expiresAtMs ?? 0).toISOString());
        expect(await queued(id)).toHaveLength(1);
        world.clock.nowMs += 2 * HOUR_MS;
        expect(await tick()).toBe(1);
        expect((await read(path)).is_expired).toBe(false);
      }
    }
    await disconnectAccount(deps(), caller(), id);
  });

  it("that could not be refreshed three times is reported on its variable and by one mail to its owner", async () => {
    const path = newPath();
    const id = await connectAt(path);
    await createResource(world.deps, caller(), { path, value: 1, resource_type: "any" });
    valid.clear();
    const before = (await mails()).length;
    world.clock.nowMs += HOUR_MS - limits.refreshBeforeMs;
    for (let failures = 1; failures <= 5; failures += 1) {
      expect(await tick()).toBe(0);
      expect((await loadAccount(id))?.failures).toBe(failures);
      const error = failures < 3 ? undefined : "The token was not refreshed: acme refused it (invalid_grant).";
      expect((await read(path)).refresh_error).toBe(error);
      expect(await mails()).toHaveLength(before + (failures < 3 ? 0 : 1));
      world.clock.nowMs += 2 ** failures * MINUTE_MS;
    }
    const [mail] = (await mails()).slice(before);
    expect(mail).toMatchObject({ people: ["ann@example.com"], subject: `The token of acme at ${path} cannot be refreshed` });
    const [resource] = await listResources(world.deps, world.workspace, { path }, () => true);
    expect(resource).toMatchObject({ is_expired: true, refresh_error: expect.stringContaining("invalid_grant") });
    answer = async () => issue();
    expect(await tick()).toBe(1);
    expect(await read(path)).not.toHaveProperty("refresh_error");
    expect((await loadAccount(id))?.failures).toBe(0);
    await disconnectAccount(deps(), caller(), id);
  });

  it("fails to refresh without its client, and its account is removed without its variable", async () => {
    const path = newPath();
    const id = await connectAt(path);
    const ref = { workspace: world.workspace, account: id };
    await setConnectClients(deps(), null);
    await expect(refreshAccount(deps(), ref)).rejects.toMatchObject({
      code: "account.notRefreshed",
      details: { reason: expect.stringContaining("no longer") },
    });
    await setConnectClients(deps(), { acme: CLIENT });
    await world.deps.objects.deleteItem(variableObject.key(world.workspace, path));
    await refreshAccount(deps(), ref);
    expect([await loadAccount(id), await queued(id)]).toEqual([undefined, []]);
  });

  it("without an expiry and a refresh token is in no queue", async () => {
    const lasting: TokenEndpoints = {
      ...tokenEndpoints,
      redeemCode: async () => ({ accessToken: "access-lasting", refreshToken: undefined, expiresInS: undefined, scopes: undefined }),
    };
    const { cookie, state } = await startConnecting();
    const { refreshToken } = await completeConnect({ ...deps(), tokenEndpoints: lasting }, "acme", { code: "good", state }, { cookie });
    const path = newPath();
    const id = await createAccount(deps(), caller(), { client: "acme", refresh_token: refreshToken, path });
    expect(await queued(id)).toEqual([]);
    expect(await read(path)).toMatchObject({ value: "access-lasting", is_oauth: true, is_refreshed: false });
    await expect(refreshAccount(deps(), { workspace: world.workspace, account: id })).rejects.toMatchObject({
      code: "account.notRefreshed",
    });
  });
});
