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

describe("scopes", () => {
  it("scopes are listed and stored as sent, and an unknown scope is rejected with 422", async () => {
    const listed = (await dev.api.get("tokens/list/scopes")).json as { scopes: { value: string; requires_resource_path: boolean }[] }[];
    const values = listed.flatMap(({ scopes }) => scopes);
    expect(values).toContainEqual(expect.objectContaining({ value: "jobs:run:scripts", requires_resource_path: true }));
    const token = await make({ label: "scoped", scopes: ["scripts:read:f/t/*"] });
    const own = ((await dev.api.get("users/tokens/list")).json as { token_prefix: string }[]).find(
      ({ token_prefix }) => token_prefix === token.slice(0, 10),
    );
    expect(own).toMatchObject({ scopes: ["scripts:read:f/t/*"], read_only: false, badge: "none" });
    for (const scope of ["scripts:fly", "nothing:read", "users:read:f/t/x", "scripts:read:../x", "", "scripts"]) {
      const refused = await dev.api.post("users/tokens/create", { scopes: [scope] });
      expect([scope, refused.status, refused.headers.get("x-svc-error")]).toEqual([scope, 422, "token.unknownScope"]);
    }
  });

  it("scopes limit even the token of a superadmin", async () => {
    const token = await make({ scopes: ["scripts:read:f/t/hello"] }, client);
    expect(await status(call(token, "GET", "scripts/get/p/f/t/hello"))).toBe(200);
    expect(await status(call(token, "GET", "scripts/get/p/f/t/other"))).toBe(403);
    expect((await call(token, "GET", "scripts/list_paths")).json).toEqual(["f/t/hello"]);
    expect(await status(call(token, "POST", "scripts/archive/p/f/t/hello"))).toBe(403);
    expect(await status(call(token, "POST", "jobs/run/p/f/t/hello", {}))).toBe(403);
    expect(await status(client.call("POST", "users/tokens/create", { token, body: {} }))).toBe(403);
    expect(await status(client.call("GET", "users/tokens/list", { token }))).toBe(403);
  });

  it("scopes and labels of a token can be changed", async () => {
    const token = await make({ scopes: ["scripts:read"] });
    const prefix = token.slice(0, 10);
    expect(await status(call(token, "GET", "jobs/list"))).toBe(403);
    expectStatus(await dev.api.post(`users/tokens/update_scopes/${prefix}`, { scopes: ["jobs:read"] }), 200);
    expect([await status(call(token, "GET", "jobs/list")), await status(call(token, "GET", "scripts/list"))]).toEqual([200, 403]);
    expectStatus(await dev.api.post(`users/tokens/update_label/${prefix}`, { label: "renamed" }), 200);
    expect((await dev.api.get("users/tokens/list")).json).toContainEqual(
      expect.objectContaining({ label: "renamed", scopes: ["jobs:read"] }),
    );
    expect(await status(dev.api.post(`users/tokens/update_scopes/${prefix}`, { scopes: ["no:thing"] }))).toBe(422);
    expect(await status(client.post(`users/tokens/update_scopes/${prefix}`, { scopes: null }))).toBe(404);
    expect(await status(client.call("POST", `users/tokens/update_scopes/${prefix}`, { token, body: { scopes: null } }))).toBe(403);
  });
});

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

describe("webhook tokens", () => {
  it("a webhook token runs its one script by path, hash and query, and nothing else", async () => {
    const token = await make({ label: "webhook", scopes: ["jobs:run:scripts:f/t/hello"], workspace_id: ws.id });
    expect((await call(token, "POST", "jobs/run_wait_result/p/f/t/hello", {})).json).toBe("hello");
    const inQuery = await client.call("POST", `w/${ws.id}/jobs/run/p/f/t/hello`, { token: "", query: { token }, body: {} });
    expect(inQuery.status).toBe(201);
    const hashOf = async (path: string) => ((await ws.get(`scripts/get/p/${path}`)).json as { hash: string }).hash;
    expect((await call(token, "POST", `jobs/run_wait_result/h/${await hashOf("f/t/hello")}`, {})).json).toBe("hello");
    const refused = [
      await call(token, "POST", "jobs/run/p/f/t/other", {}),
      await call(token, "POST", "jobs/run/p/f/t/absent", {}),
      await call(token, "POST", `jobs/run/h/${await hashOf("f/t/other")}`, {}),
      await call(token, "POST", "jobs/run/h/0123456789abcdef", {}),
      await call(token, "POST", "jobs/run/preview", { language: "bash", content: "echo" }),
      await call(token, "GET", `jobs_u/completed/get_result/${inQuery.text}`),
      await call(token, "GET", "scripts/get/p/f/t/hello"),
      await client.call("GET", "users/whoami", { token }),
      await client.call("POST", "w/nowhere/jobs/run/p/f/t/hello", { token, body: {} }),
    ];
    expect(refused.map((answer) => [answer.status, answer.headers.get("x-svc-error")])).toEqual(refused.map(() => [403, "auth.forbidden"]));
    expect(refused[0]?.text).toBe(refused[1]?.text);
  });

  it("a webhook token has its creator's current rights on the script", async () => {
    const token = await make({ scopes: ["jobs:run:scripts:f/t/hello"] });
    const runs = () => status(call(token, "POST", "jobs/run/p/f/t/hello", {}));
    expect(await runs()).toBe(201);
    expectStatus(await ws.post("acls/remove/folder/t", { owner: `u/${dev.username}` }), 200);
    expect(await runs()).toBe(404);
    expectStatus(await ws.post("acls/add/folder/t", { owner: `u/${dev.username}`, write: true }), 200);
    expect(await runs()).toBe(201);
  });
});

describe("read-only tokens", () => {
  it("a read-only token reads all that its owner may, and runs and changes nothing", async () => {
    const token = await make({ read_only: true });
    expect(await status(call(token, "GET", "scripts/get/p/f/t/hello"))).toBe(200);
    expect(await status(client.call("GET", "users/whoami", { token }))).toBe(200);
    expect(await status(call(token, "POST", "jobs/run/p/f/t/hello", {}))).toBe(403);
    expect(await status(call(token, "POST", "scripts/create", { path: "f/t/n", summary: "", language: "bash", content: "" }))).toBe(403);
    expect(await status(client.call("POST", "users/tokens/create", { token, body: {} }))).toBe(403);
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

  it("a token of one workspace sees, deletes and joins nothing outside of it", async () => {
    const bound = await ofOwn({ workspace_id: ws.id });
    const listed = await client.call("GET", "users/tokens/list", { token: bound });
    expect((listed.json as { workspace_id?: string }[]).map(({ workspace_id }) => workspace_id)).toContain(ws.id);
    expect(listed.text).not.toContain(own.slice(0, 10));
    expect(await status(client.call("DELETE", `users/tokens/delete/${own}`, { token: bound }))).toBe(403);
    const other = await newWorkspace();
    expectStatus(await other.post("workspaces/invite_user", { email: account.email, is_admin: false, operator: true }), 201);
    for (const route of ["users/accept_invite", "users/decline_invite"]) {
      expect([route, await status(client.call("POST", route, { token: bound, body: { workspace_id: other.id } }))]).toEqual([route, 403]);
    }
    expect(await status(client.call("POST", "users/accept_invite", { token: own, body: { workspace_id: other.id } }))).toBe(200);
  });

  it("a token with path limits neither creates nor changes resource types, which have no path", async () => {
    const token = await make({ scopes: ["resources:write:f/t/*"] }, client);
    expect(await status(call(token, "POST", "resources/create", { path: "f/t/scoped", value: 1, resource_type: "any" }))).toBe(201);
    const schema = { type: "object", required: ["never"] };
    expect(await status(call(token, "POST", "resources/type/create", { name: "scoped", schema }))).toBe(403);
    expect(await status(call(token, "POST", "resources/type/update/postgresql", { schema }))).toBe(403);
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

describe("impersonation", () => {
  it("only a superadmin impersonates users, and gets their rights", async () => {
    const body = { impersonate_email: dev.email, label: "as dev" };
    const token = expectStatus(await client.post("users/tokens/impersonate", body), 201).text;
    expect((await client.call("GET", "users/whoami", { token })).json).toMatchObject({ email: dev.email, super_admin: false });
    expect(await status(client.call("GET", "users/list_as_super_admin", { token }))).toBe(403);
    expect(await status(dev.api.post("users/tokens/impersonate", { impersonate_email: shared().email }))).toBe(403);
    expect(await status(client.post("users/tokens/impersonate", { impersonate_email: "nobody@example.com" }))).toBe(404);
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
