import { accountObject } from "../../../../core/accounts/account.ts";
import { createChatLink } from "../../../../services/identity/chat-accounts/chat-links.ts";
import { bad, closed, type Event, field, found, good, type Stage, type Steps, whole } from "../exchange.ts";

const prefix = (body: string) => body.slice(0, 10);

const tokens: Steps = [
  good("createToken", {
    json: { label: "for a test", scopes: ["jobs:run"], workspace_id: "sign-in" },
    keep: { token: whole, prefix },
    alone: true,
  }),
  bad("createToken", { json: { scopes: ["none:none"] } }),
  bad("createToken", { json: { expiration: "tomorrow" } }),
  ...closed("listTokens"),
  ...found("updateTokenScopes", { token_prefix: "<prefix>" }, { token_prefix: "none123456" }, { json: { scopes: ["jobs:read"] } }),
  bad("updateTokenScopes", { params: { token_prefix: "<prefix>" }, json: { scopes: ["none"] } }),
  ...found("updateTokenLabel", { token_prefix: "<prefix>" }, { token_prefix: "none123456" }, { json: { label: "renamed" } }),
  good("impersonate", { json: { impersonate_email: "bob@example.com", label: "as bob" } }),
  bad("impersonate", { json: { impersonate_email: "none@example.com" } }),
  ...closed("listScopes"),
  ...found("deleteToken", { token_prefix: "<prefix>" }, { token_prefix: "none123456" }),
];

const user = { email: "cleo@example.com", password: "A long password 1!" };
const sessions: Steps = [
  good("createUser", { json: { ...user, super_admin: false }, alone: true }),
  good("login", { json: user, from: "nobody", keep: { session: whole } }),
  bad("login", { json: { ...user, password: "wrong" }, from: "nobody" }),
  bad("login", { json: {}, from: "nobody" }),
  good("usersLogin", { json: user, from: "nobody" }),
  bad("usersLogin", { json: { ...user, email: "none@example.com" }, from: "nobody" }),
  good("setPassword", { json: { password: "Another long password 2!", old_password: user.password }, token: "<session>" }),
  bad("setPassword", { json: { password: "short", old_password: user.password }, token: "<session>" }),
  ...closed("refreshToken", { token: "<session>" }),
  ...closed("beginSession", {}),
  good("logout", { token: "<session>" }),
  bad("globalWhoami", { token: "<session>" }),
  good("isPasswordLoginDisabled", { from: "nobody" }),
  good("isSmtpConfigured", { from: "nobody" }),
];

const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
const devices: Steps = [
  good("requestDeviceCode", {
    json: { client_name: "laptop" },
    from: "nobody",
    keep: { device: field("device_code"), code: field("user_code") },
  }),
  bad("requestDeviceCode", { json: { client_name: 1 }, from: "nobody" }),
  bad("requestDeviceCode", { json: {}, from: "nobody", headers: { Origin: "https://other.example.com" } }),
  bad("redeemDeviceCode", { json: { grant_type, device_code: "<device>" }, from: "nobody" }),
  ...found("getDeviceRequest", { user_code: "<code>" }, { user_code: "BCDF-BCDF" }),
  bad("decideDeviceRequest", { json: { user_code: "BCDF-BCDF", approve: true } }),
  good("decideDeviceRequest", { json: { user_code: "<code>", approve: true }, alone: true }),
  good("redeemDeviceCode", { json: { grant_type, device_code: "<device>" }, from: "nobody" }),
  bad("redeemDeviceCode", { json: { grant_type: "password", device_code: "<device>" }, from: "nobody" }),
];

/** Function `approve` creates the link when a person in a chat presses a button. */
const createLink: Event = async ({ world, kept }) => {
  const person = { vendor: "slack", team: "T0TEAM", id: "U0ANN", name: "ann", app: "an app", isMember: true } as const;
  const address = await createChatLink(world.deps, person, { workspace: "sign-in", resource: "f/ops/slack" });
  kept["link"] = address.split("#")[1] ?? "";
};
const chatAccounts: Steps = [
  createLink,
  good("findChatLink", { json: { link: "<link>" } }),
  bad("findChatLink", { json: { link: "none" } }),
  bad("connectChatAccount", { json: { link: "none" } }),
  good("connectChatAccount", { json: { link: "<link>" }, alone: true }),
  bad("connectChatAccount", { json: { link: "<link>" } }),
  good("listChatAccounts", { keep: { account: field("id") } }),
  bad("listChatAccounts", { from: "nobody" }),
  ...found("disconnectChatAccount", { id: "<account>" }, { id: "none" }),
];

const acme = { id: "svc", secret: "the secret of the client" };
const connect_config = { auth_url: "https://id.example.com/auth", token_url: "https://id.example.com/token", scopes: ["read"] };
const providers: Steps = [
  good("listLogins", { from: "nobody" }),
  bad("beginLogin", { params: { client: "none" }, from: "nobody" }),
  bad("completeLogin", { params: { client: "none" }, json: { code: "c", state: "s" }, from: "nobody" }),
  bad("returnFromLogin", { params: { client: "none" }, query: { code: "c", state: "s" }, from: "nobody" }),
  good("setGlobal", { params: { key: "oauths" }, json: { value: { acme: { ...acme, connect_config } } } }),
  bad("setGlobal", { params: { key: "oauths" }, json: { value: { acme: {} } } }),
  ...closed("listConnects"),
  ...found("getConnect", { client: "acme" }, { client: "none" }),
  ...found("beginConnect", { client: "acme" }, { client: "none" }),
  bad("completeConnect", { params: { client: "acme" }, json: { code: "c", state: "s" } }),
  bad("returnFromConnect", { params: { client: "acme" }, query: { code: "c", state: "s" }, from: "nobody" }),
  good("createFolder", { json: { name: "t" }, alone: true }),
  bad("createAccount", { json: { client: "acme" } }),
  bad("createAccount", { json: { client: "acme", refresh_token: "another text", path: "f/t/acme" } }),
  addAccount,
  bad("refreshAccount", { params: { id: 99 } }),
  good("disconnect", { params: { id: 1 } }),
  bad("disconnect", { params: { id: 99 } }),
];

const idTokens: Steps = [
  good("createIdToken", { params: { audience: "sts.amazonaws.com" } }),
  bad("createIdToken", { params: { audience: "sts.amazonaws.com" }, query: { expires_in: 0 } }),
  good("jwks", { from: "nobody" }),
  good("openidConfiguration", { from: "nobody" }),
];

async function addAccount({ world: { deps, workspace, clock } }: Stage): Promise<void> {
  const account = { id: 1, client: "acme", owner: "ann@example.com", failures: 0, createdAtMs: clock.nowMs };
  await deps.objects.put({ ...accountObject.key(workspace, 1), value: account, version: "1" });
}

/** Tokens, sessions, devices, accounts in chats and at other services, and ID tokens. */
export const signIn: Steps = [...tokens, ...sessions, ...devices, ...chatAccounts, ...providers, ...idTokens];
