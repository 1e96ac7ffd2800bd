import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { defined } from "../../../contract/defined.ts";
import { type Answer, api, shared } from "../../support/api/api.ts";
import { listPages } from "../../support/api/list-pages.ts";
import { member, type Someone } from "../../support/api/people.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { mailsTo } from "../../support/approvals/notices.ts";
import { invoke } from "../../support/engine/aws.ts";
import { addOutboxReader, outboxOf } from "../../support/engine/outbox.ts";
import { until } from "../../support/until.ts";

const client = api();
let ws: Workspace;
let dev: Someone;
beforeAll(async () => {
  ws = await newWorkspace();
  dev = await member(ws, "dev");
  expectStatus(await ws.post("acls/add/folder/t", { owner: `u/${dev.username}`, write: true }), 200);
  for (const name of ["hello", "other"]) await ws.saveScript({ path: `f/t/${name}`, language: "bash", content: `echo ${name}` });
});

const make = async (body: object, by: Someone["api"] = dev.api) => expectStatus(await by.post("users/tokens/create", body), 201).text;

const call = (token: string, method: string, route: string, body?: unknown) =>
  client.call(method, `w/${ws.id}/${route}`, { token, ...defined({ body }) });
const status = async (answer: Promise<{ status: number }>) => (await answer).status;

const DAY_MS = 24 * 3600_000;

describe("tokens that expire", () => {
  it("are announced by an event and a mail a week before their end, and deleted after it", async () => {
    await addOutboxReader(ws.id);
    const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
    // The badge of the first changes when its last week begins, which is soon on a slow machine.
    await make({ label: "soon", workspace_id: ws.id, expiration: inMs(7 * DAY_MS + 2000) });
    const [later, gone] = [
      await make({ label: "later", expiration: inMs(8 * DAY_MS) }),
      await make({ label: "gone", expiration: inMs(2000) }),
    ];
    await invoke("HousekeepingFunction", { nowMs: Date.now() + 5000 });
    const listed = (await dev.api.get("users/tokens/list")).json as { token_prefix: string; badge: string }[];
    const badgeOf = (token: string) => listed.find(({ token_prefix: prefix }) => token.startsWith(prefix))?.badge;
    expect([badgeOf(later), badgeOf(gone)]).toEqual(["soon", undefined]);
    expect(await outboxOf(ws.id)).toContain("TokenExpiringSoon undefined");
    const mail = await until(async () => (await mailsTo(dev.email))[0]);
    expect(mail.subject).toMatch(/^Your token "soon" expires on \d{4}-\d\d-\d\d$/);
  });
});

describe("sign-ins that fail", () => {
  it("are delayed with Retry-After, and are in the audit log with an address that the caller cannot choose", async () => {
    const account = { email: `${randomUUID()}@example.com`, password: "First-horse-11" };
    expectStatus(await client.post("users/create", { ...account, super_admin: false }), 201);
    const logIn = (password: string) =>
      client.call("POST", "auth/login", {
        token: "",
        headers: { "x-forwarded-for": "198.51.100.1" },
        body: { email: account.email, password },
      });
    const answers: Answer[] = [];
    // The delay doubles with each failure, so it soon exceeds the duration of a request on a busy machine.
    while (answers.at(-1)?.status !== 429 && answers.length < 12) answers.push(await logIn("wrong"));
    const refused = answers.pop();
    expect(answers.length).toBeGreaterThanOrEqual(5);
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([401]));
    expect([refused?.status, refused?.headers.get("x-svc-error")]).toEqual([429, "login.throttled"]);
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    const failures = (await client.get("audit/list", { username: account.email, operation: "users.login_failure" })).json;
    expect(failures).toHaveLength(answers.length);
    expect(failures).toContainEqual(expect.objectContaining({ parameters: { address: "127.0.0.1" } }));
  });
});

describe("tokens with limits", () => {
  const account = { email: "narrow@example.com", password: "First-horse-11" };
  let own: string;
  beforeAll(async () => {
    await client.call("DELETE", `users/delete/${account.email}`);
    expectStatus(await client.post("users/create", { ...account, super_admin: false }), 201);
    own = expectStatus(await client.post("users/tokens/impersonate", { impersonate_email: account.email }), 201).text;
  });
  const ofOwn = async (body: object) => expectStatus(await client.call("POST", "users/tokens/create", { token: own, body }), 201).text;

  it("a limited token sets no password, because a sign-in with it would not be limited", async () => {
    for (const limit of [{ workspace_id: ws.id }, { scopes: ["users:write"] }, { read_only: true }]) {
      const token = await ofOwn(limit);
      const set = await client.call("POST", "users/setpassword", { token, body: { password: "Second-horse-22" } });
      expect([limit, set.status]).toEqual([limit, 403]);
    }
    expect(await status(client.call("POST", "auth/login", { token: "", body: account }))).toBe(200);
  });

  it("a limited session keeps its limits when it is renewed", async () => {
    const session = (await client.call("POST", "auth/login", { token: "", body: account })).text;
    const body = { scopes: ["users:write"] };
    expectStatus(await client.call("POST", `users/tokens/update_scopes/${session.slice(0, 10)}`, { token: own, body }), 200);
    const fresh = expectStatus(await client.call("GET", "users/refresh_token", { token: session }), 200).text;
    expect(await status(client.call("POST", "users/tokens/create", { token: fresh, body: {} }))).toBe(403);
  });
});

describe("session cookies", () => {
  it("a session cookie counts in requests of our own pages and of programs, and never in a GET that runs a job", async () => {
    const { email, password } = shared();
    const cookie = `token=${(await client.call("POST", "auth/login", { token: "", body: { email, password } })).text}`;
    const run = (method: "GET" | "POST", headers: Record<string, string>) =>
      status(client.call(method, `w/${ws.id}/jobs/run_wait_result/p/f/t/hello`, { token: "", headers: { cookie, ...headers } }));
    expect(await run("POST", { "sec-fetch-site": "same-origin" })).toBe(200);
    expect(await run("POST", {})).toBe(200);
    expect(await run("POST", { "sec-fetch-site": "none" })).toBe(401);
    // The local front server refuses other sites before.
    for (const site of ["cross-site", "same-site"]) expect(await run("POST", { "sec-fetch-site": site })).toBe(403);
    expect(await run("POST", { origin: "https://evil.example" })).toBe(403);
    expect(await run("GET", { "sec-fetch-site": "same-origin" })).toBe(401);
  });

  it("a request that no page of the service sent cannot sign its visitor in", async () => {
    const { email, password } = shared();
    const answer = await client.call("POST", "auth/login", {
      token: "",
      body: { email, password },
      headers: { "sec-fetch-site": "none" },
    });
    expect([answer.status, answer.headers.get("x-svc-error"), answer.headers.get("set-cookie")]).toEqual([403, "login.otherSite", null]);
  });
});

describe("job tokens", () => {
  it("a job token becomes invalid when its job ends", async () => {
    await ws.saveScript({ path: "f/t/leak", language: "bash", content: 'echo "$WM_TOKEN" | rev' });
    const job = await dev.in(ws).run("f/t/leak");
    const { result } = (await dev.in(ws).completed(job)) as { result: string };
    expect(result.split(".")).toHaveLength(3);
    expect(await status(call([...result].reverse().join(""), "GET", "users/whoami"))).toBe(401);
  });
});

describe("sign-in with a password", () => {
  const { email, password } = shared();
  const login = (body: object, route = "auth/login") => client.call("POST", route, { token: "", body });

  it("a sign-in returns a token and a cookie that scripts of a page cannot read, at both URLs", async () => {
    for (const route of ["auth/login", "users/login"]) {
      const answer = await login({ email, password }, route);
      expect(answer.status).toBe(200);
      const cookie = answer.headers.get("set-cookie") ?? "";
      expect(cookie).toMatch(/^token=[A-Za-z0-9_-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=1209600/);
      expect(cookie).toContain(answer.text);
      const who = await client.call("GET", "users/whoami", { token: "", headers: { cookie: `token=${answer.text}` } });
      expect(who.json).toMatchObject({ email, super_admin: true });
    }
    expect((await client.call("GET", "auth/is_password_login_disabled", { token: "" })).json).toBe(false);
  });

  it("the error is the same for a wrong password, an unknown address and a disabled user", async () => {
    const disabled = { email: "off@example.com", password: "Correct-horse-9" };
    await client.call("DELETE", `users/delete/${disabled.email}`);
    expectStatus(await client.post("users/create", { ...disabled, super_admin: false }), 201);
    expectStatus(await login(disabled), 200);
    expectStatus(await client.post(`users/update/${disabled.email}`, { disabled: true }), 200);
    const refused = [
      await login({ email, password: "Wrong-horse-99" }),
      await login({ email: "nobody@example.com", password: "Wrong-horse-99" }),
      await login(disabled),
    ];
    expect(refused.map(({ status, text, headers }) => [status, text, headers.get("x-svc-error"), headers.get("set-cookie")])).toEqual(
      refused.map(() => [401, "The e-mail address or the password is wrong.", "login.refused", null]),
    );
    expectStatus(await client.call("DELETE", `users/delete/${disabled.email}`), 200);
  });

  it("a session expires, can be renewed once, and ends with the sign-out", async () => {
    const session = (await login({ email, password })).text;
    const whoami = (token: string) => status(client.call("GET", "users/whoami", { token }));
    const kept = await client.call("GET", "users/refresh_token", { token: session, query: { if_expiring_in_less_than_s: 60 } });
    expect([kept.status, kept.text]).toEqual([200, session]);
    const fresh = expectStatus(await client.call("GET", "users/refresh_token", { token: session }), 200).text;
    expect([await whoami(session), await whoami(fresh)]).toEqual([401, 200]);
    const lasting = await listPages(client, "users/tokens/list", { exclude_ephemeral: true });
    expect(JSON.stringify(lasting)).not.toContain(fresh.slice(0, 10));
    const out = await client.call("POST", "auth/logout", { token: "", headers: { cookie: `token=${fresh}` } });
    expect([out.status, out.headers.get("set-cookie")]).toEqual([
      200,
      expect.stringContaining("token=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0"),
    ]);
    expect(await whoami(fresh)).toBe(401);
    // These routes neither renew nor end the token of a program.
    expect(await status(client.get("users/refresh_token"))).toBe(403);
    expectStatus(await client.post("auth/logout"), 200);
    expect(await whoami(client.token)).toBe(200);
  });

  it("a change of the password ends all other sessions", async () => {
    const account = { email: "changer@example.com", password: "First-horse-11" };
    await client.call("DELETE", `users/delete/${account.email}`);
    expect(await status(client.post("users/create", { ...account, password: "short", super_admin: false }))).toBe(400);
    expectStatus(await client.post("users/create", { ...account, super_admin: false }), 201);
    expect(await status(client.post("users/create", { ...account, password: "Other-horse-11", super_admin: false }))).toBe(409);
    const [one, two] = [(await login(account)).text, (await login(account)).text];
    const change = (old_password?: string) =>
      client.call("POST", "users/setpassword", { token: one, body: { password: "Second-horse-22", old_password } });
    for (const refused of [await change(), await change("Wrong-horse-99")]) {
      expect([refused.status, refused.headers.get("x-svc-error")]).toEqual([403, "user.oldPassword"]);
    }
    expectStatus(await change(account.password), 200);
    expect(await status(client.call("GET", "users/email", { token: two }))).toBe(401);
    expect(await status(client.call("GET", "users/email", { token: one }))).toBe(200);
    expect([await status(login(account)), await status(login({ ...account, password: "Second-horse-22" }))]).toEqual([401, 200]);
  });
});
