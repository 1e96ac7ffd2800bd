import { randomUUID } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { type Answer, api, shared } from "../../support/api/api.ts";
import { listPages } from "../../support/api/list-pages.ts";
import { member, someone } from "../../support/api/people.ts";
import { expectStatus, newWorkspace } from "../../support/api/workspace.ts";
import { startReceiver } from "../../support/approvals/notices.ts";
import type { AtProvider } from "../../support/engine/identity-provider.ts";
import { allLogs } from "../../support/engine/logs.ts";
import { until } from "../../support/until.ts";

const client = api();
const REQUIRE_KNOWN = "settings/global/require_preexisting_user_for_oauth";
const said = ({ status, headers }: Answer) => [status, headers.get("x-svc-error")];

/** A browser that follows redirects one at a time and stores cookies. */
class Browser {
  readonly cookies = new Map<string, string>();

  async get(url: string): Promise<{ status: number; location: URL; text: string; setCookies: string[] }> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(url, { redirect: "manual", headers: cookie && url.startsWith(client.url) ? { cookie } : {} });
    const setCookies = answer.headers.getSetCookie();
    for (const text of setCookies) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      if (/Max-Age=0/.test(text)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return { status: answer.status, location: new URL(answer.headers.get("location") ?? "/", url), text: await answer.text(), setCookies };
  }

  startSignIn = (login = "acme", returnTo?: string) =>
    this.get(`${client.url}/api/oauth/login/${login}${returnTo === undefined ? "" : `?${new URLSearchParams({ return_to: returnTo })}`}`);

  /** Goes to the provider and returns the callback URL with its parameters, without opening it. */
  async toDoor(as: AtProvider, login = "acme", returnTo?: string): Promise<URL> {
    const { location } = await this.startSignIn(login, returnTo);
    location.searchParams.set("as", JSON.stringify(as));
    return (await this.get(location.href)).location;
  }

  /** The POST variant: the parameters of the URL in the body, with the cookie. */
  post(door: URL, login = "acme", change: object = {}): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const body = { ...Object.fromEntries(door.searchParams), ...change };
    return client.call("POST", `oauth/login_callback/${login}`, { token: "", headers: { cookie }, body });
  }
  async signIn(as: AtProvider): Promise<Answer> {
    return this.post(await this.toDoor(as));
  }
}

const named = (email: string, more: object = {}): AtProvider => ({ claims: { email, ...more } });
const newAddress = () => `new${randomUUID().slice(0, 8)}@acme.example`;

describe("sign-in through a provider", () => {
  it("the login is offered by name, and starts with PKCE, state and nonce", async () => {
    const listed = await client.call("GET", "oauth/list_logins", { token: "" });
    expect(listed.json).toEqual({ oauth: [{ type: "acme", display_name: "Acme" }, { type: "silent" }] });
    const { status, location, setCookies } = await new Browser().startSignIn();
    expect([status, location.pathname]).toEqual([303, "/authorize"]);
    expect(Object.fromEntries(location.searchParams)).toEqual({
      client_id: "svc-test",
      response_type: "code",
      redirect_uri: `${client.url}/api/oauth/login_callback/acme`,
      scope: "openid email profile",
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    });
    expect(setCookies).toEqual([expect.stringMatching(/^svc_login=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/)]);
    expect(Buffer.from(setCookies[0]?.split(/[=;]/)[1] ?? "", "base64url").toString()).not.toContain(location.searchParams.get("state"));
  });

  it("a browser returns to the page from which it came, and to no other URL", async () => {
    const who = await someone("fed");
    const page = `/approve/demo/1/2/${"ab".repeat(32)}?approver=ann%20b`;
    const browser = new Browser();
    const back = await browser.get((await browser.toDoor(named(who.email), "acme", page)).href);
    expect([back.status, back.location.href]).toEqual([303, client.url + page]);
    const device = new Browser();
    const toDevice = await device.get((await device.toDoor(named(who.email), "acme", "/device?user_code=BCDF-GHJK")).href);
    expect([toDevice.status, toDevice.location.href]).toEqual([303, `${client.url}/device?user_code=BCDF-GHJK`]);
    for (const other of [
      "//evil.example/approve/",
      "https://evil.example",
      "/approve/\\evil",
      "/docs",
      "/approve/a\r\nx",
      "/device/x",
      "/device?x=1",
    ]) {
      expect([other, (await browser.startSignIn("acme", other)).status]).toEqual([other, 400]);
    }
  });

  it("a browser returns with a session, and a program receives its token", async () => {
    const who = await someone("fed");
    const browser = new Browser();
    const back = await browser.get((await browser.toDoor(named(who.email.toUpperCase()))).href);
    expect([back.status, back.location.pathname, back.text.includes(browser.cookies.get("token") ?? "?")]).toEqual([303, "/", false]);
    expect(browser.cookies.has("svc_login")).toBe(false);
    const me = await client.call("GET", "users/whoami", { token: browser.cookies.get("token") ?? "" });
    expect(me.json).toMatchObject({ email: who.email, super_admin: false });

    const answer = expectStatus(await new Browser().signIn(named(who.email)), 200);
    expect(answer.headers.getSetCookie()).toContainEqual(
      expect.stringMatching(`^token=${answer.text}; Path=/; HttpOnly; SameSite=Lax; Max-Age=1209600$`),
    );
    expect((await client.call("GET", "users/email", { token: answer.text })).text).toBe(who.email);
    expectStatus(await client.call("POST", "auth/logout", { token: answer.text }), 200);
    expect((await client.call("GET", "users/email", { token: answer.text })).status).toBe(401);
  });

  it("an unknown login, and a provider that does not answer, are named in the error", async () => {
    for (const [login, expected] of [
      ["nothing", [404, "login.unknown"]],
      ["silent", [502, "login.unreachable"]],
    ] as const) {
      expect([login, said(await client.call("GET", `oauth/login/${login}`, { token: "" }))]).toEqual([login, expected]);
    }
    expect(said(await client.call("POST", "oauth/login_callback/nothing", { token: "", body: { code: "c", state: "s" } }))).toEqual([
      404,
      "login.unknown",
    ]);
  });
});

describe("validation of a sign-in", () => {
  const own = named(shared().email);

  it("a sign-in ends in the browser in which it started, and another state or none is rejected", async () => {
    const [mine, theirs] = [new Browser(), new Browser()];
    const [here, there] = [await mine.toDoor(own), await theirs.toDoor(own)];
    const none = new Browser();
    const refused = [
      await none.post(there),
      await mine.post(there),
      await mine.post(here, "acme", { state: "x".repeat(43) }),
      await mine.post(here, "acme", { state: undefined }),
      await mine.post(here, "silent"),
    ];
    mine.cookies.set("svc_login", `${mine.cookies.get("svc_login")?.slice(0, -6)}AAAAAA`);
    refused.push(await mine.post(here));
    expect(refused.map(said)).toEqual(refused.map(() => [400, "login.notBegun"]));
    const answer = await none.get(there.href);
    expect([answer.status, answer.setCookies]).toEqual([400, []]);
    // Failed attempts of others do not consume the code.
    expectStatus(await theirs.post(there), 200);
  });

  it("a sign-in counts once, even if its callback arrives twice at the same time", async () => {
    const browser = new Browser();
    const door = await browser.toDoor(own);
    const both = await Promise.all([browser.post(door), browser.post(door)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(said(await browser.post(door))).toEqual([400, "login.notBegun"]);
  });

  it("the provider rejects the code of another sign-in, because its PKCE verifier differs", async () => {
    const [mine, theirs] = [new Browser(), new Browser()];
    const [here, there] = [await mine.toDoor(own), await theirs.toDoor(own)];
    const stolen = await mine.post(here, "acme", { code: there.searchParams.get("code") });
    expect([...said(stolen), stolen.text]).toEqual([401, "login.notConfirmed", expect.stringContaining("invalid_grant")]);
    const other = new Browser();
    expect(said(await other.post(await other.toDoor(own), "acme", { iss: "https://evil.example" }))).toEqual([401, "login.notConfirmed"]);
  });

  const nowS = Math.floor(Date.now() / 1000);
  it.each<[string, AtProvider]>([
    ["a wrong nonce", named(shared().email, { nonce: "another" })],
    ["no nonce", named(shared().email, { nonce: null })],
    ["another audience", named(shared().email, { aud: "somebody-else" })],
    ["another issuer", named(shared().email, { iss: "https://evil.example" })],
    ["a time that is over", named(shared().email, { iat: nowS - 900, exp: nowS - 600 })],
    ["a signature of an unknown key", { ...own, foreignKey: true }],
    ["the provider's refusal", { error: "access_denied" }],
  ])("a sign-in requires a valid ID token and rejects %s", async (_, as) => {
    const refused = await new Browser().signIn(as);
    expect([...said(refused), refused.headers.getSetCookie()]).toEqual([401, "login.notConfirmed", []]);
  });

  it.each([{ email_verified: false }, { email_verified: "false" }, { email_verified: null }, { email: null }])(
    "a sign-in requires an address that the provider has verified and rejects %j",
    async (claims) => {
      expect(said(await new Browser().signIn(named(shared().email, claims)))).toEqual([403, "login.unverified"]);
    },
  );
});

describe("users who may sign in", () => {
  it("a disabled user cannot sign in", async () => {
    const who = await someone("off");
    expectStatus(await client.post(`users/update/${who.email}`, { disabled: true }), 200);
    expect(said(await new Browser().signIn(named(who.email)))).toEqual([403, "login.denied"]);
  });

  it("only invited users may sign in for the first time, or all if the instance allows it", async () => {
    const [stranger, guest, late] = [newAddress(), newAddress(), newAddress()];
    const ws = await newWorkspace();
    expect(said(await new Browser().signIn(named(stranger)))).toEqual([403, "login.denied"]);
    expect((await client.get(`users/exists/${stranger}`)).json).toBe(false);
    expectStatus(await ws.post("workspaces/invite_user", { email: guest, is_admin: false, operator: false }), 201);
    const token = expectStatus(await new Browser().signIn(named(guest, { name: "A Guest" })), 200).text;
    expect((await client.call("GET", "users/whoami", { token })).json).toMatchObject({ email: guest, name: "A Guest", super_admin: false });
    expectStatus(await client.call("POST", "users/accept_invite", { token, body: { workspace_id: ws.id } }), 200);

    expectStatus(await client.post(REQUIRE_KNOWN, { value: false }), 200);
    try {
      const both = await Promise.all([new Browser().signIn(named(late)), new Browser().signIn(named(late))]);
      expect(both.map(({ status }) => status)).toEqual([200, 200]);
      const users = (await listPages(client, "users/list_as_super_admin")) as { email: string }[];
      expect(users.filter(({ email }) => email === late)).toHaveLength(1);
    } finally {
      expectStatus(await client.post(REQUIRE_KNOWN, {}), 200);
    }
  });

  it("a new user joins workspaces that admit their email domain, or is invited there", async () => {
    const email = newAddress();
    const [adding, inviting, other] = [await newWorkspace(), await newWorkspace(), await newWorkspace()];
    const admins = await Promise.all([adding, inviting].map((ws) => member(ws, "boss", "admin")));
    const [boss] = admins;
    expectStatus(await adding.post("workspaces/edit_auto_invite", { operator: true, auto_add: true, invite_all: true }), 200);
    expectStatus(await inviting.post("workspaces/edit_auto_invite", { operator: false, invite_all: true }), 200);
    expectStatus(await other.post("workspaces/edit_auto_invite", { auto_add: true }), 200);
    expect((await adding.get("workspaces/get_settings")).json).toMatchObject({
      auto_invite: { enabled: true, domain: "*", operator: true, mode: "add" },
    });
    expectStatus(await adding.post("workspaces/invite_user", { email, is_admin: false, operator: false }), 201);
    const token = expectStatus(await new Browser().signIn(named(email)), 200).text;
    expect((await client.call("GET", `w/${adding.id}/users/whoami`, { token })).json).toMatchObject({ email, operator: true });
    expect((await client.call("GET", "users/list_invites", { token })).json).toMatchObject([{ workspace_id: inviting.id }]);
    expect((await client.call("GET", `w/${other.id}/users/whoami`, { token })).status).toBe(404);
    expect(boss && (await boss.in(adding).post("workspaces/edit_auto_invite", {})).status).toBe(200);
    expect((await adding.get("workspaces/get_settings")).json).not.toHaveProperty("auto_invite");
    expectStatus(await inviting.post("workspaces/edit_auto_invite", {}), 200);
  });
});

it("no log contains the code, state or client secret of a sign-in", async () => {
  const browser = new Browser();
  const door = await browser.toDoor(named(shared().email));
  const token = expectStatus(await browser.post(door), 200).text;
  const logs = [...(await allLogs()).values()].join("\n");
  for (const secret of [door.searchParams.get("code"), door.searchParams.get("state"), token, "planted-client-secret"]) {
    expect(logs).not.toContain(secret);
  }
});

describe("events of the instance", () => {
  const SETTING = "settings/global/instance_events_webhook";
  const LOG = "webhooks/deliveries";

  it("reach the receiver that a superadmin named, who verifies them; superadmins alone see and replay their deliveries", async () => {
    const [ws, receiver] = await Promise.all([newWorkspace(), startReceiver()]);
    try {
      expectStatus(await client.post(SETTING, { value: receiver.url }), 200);
      const other = await member(ws, "bob");
      const email = newAddress();
      expectStatus(await ws.post("workspaces/invite_user", { email, is_admin: false, operator: false }), 201);
      const { text: token } = expectStatus(await new Browser().signIn(named(email)), 200);
      const joining = { workspace_id: ws.id, username: "chosen" };
      expectStatus(await client.call("POST", "users/accept_invite", { token, body: joining }), 200);

      const { secret } = expectStatus(await client.get("webhooks/secret"), 200).json as { secret: string };
      const about = (address: string) => receiver.receivedRequests.filter(({ body }) => body.includes(address));
      const verified = (address: string) =>
        about(address).map(({ headers, body }) => new Webhook(secret).verify(body, headers as Record<string, string>));
      await until(() => about(email).length >= 3 && about(other.email).length >= 2, { what: "five requests" });
      const workspace = ws.id;
      const event = (type: string, data: object) => expect.objectContaining({ type, data });
      expect(verified(email)).toHaveLength(3);
      expect(verified(email)).toEqual(
        expect.arrayContaining([
          event("UserInvitedWorkspace", { email, workspace }),
          event("UserSignupOauth", { email, username: email.split("@")[0] }),
          event("UserJoinedWorkspace", { email, workspace, username: "chosen" }),
        ]),
      );
      expect(verified(other.email)).toEqual(
        expect.arrayContaining([
          event("UserAdded", { email: other.email, username: other.username }),
          event("UserJoinedWorkspace", { email: other.email, workspace, username: other.username }),
        ]),
      );

      const id = `${about(email)[0]?.headers["webhook-id"]}.instance`;
      const state = async () => (expectStatus(await client.get(`${LOG}/get/${id}`), 200).json as { state: string }).state;
      await until(async () => (await state()) === "sent");
      const listed = expectStatus(await client.get(`${LOG}/list`, { per_page: 100 }), 200).json as { id: string }[];
      expect(listed.map((delivery) => delivery.id)).toContain(id);
      expectStatus(await client.post(`${LOG}/replay`, { ids: [id] }), 200);
      await until(() => about(email).length > 3, { what: "the replay" });
      expect(about(email).filter(({ headers }) => `${headers["webhook-id"]}.instance` === id)).toHaveLength(2);

      const { id: test } = expectStatus(await client.post("webhooks/test"), 200).json as { id: string };
      await until(() => receiver.receivedRequests.some(({ headers }) => headers["webhook-id"] === test), { what: "the test" });
      for (const route of ["webhooks/list", "webhooks/secret", `${LOG}/list`, `${LOG}/get/${id}`])
        expect([route, (await other.api.get(route)).status]).toEqual([route, 403]);
      for (const route of ["webhooks/secret", "webhooks/test", `${LOG}/replay`])
        expect([route, (await other.api.post(route, { ids: [id] })).status]).toEqual([route, 403]);
    } finally {
      await client.post(SETTING, { value: null });
      await receiver.close();
    }
  });
});
