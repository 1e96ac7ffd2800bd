import { createHash } from "node:crypto";
import * as z from "zod";
import { limits } from "../../../contract/limits.ts";
import { toTeamsCard } from "../../../core/chats/teams/teams-card.ts";
import { describeTeamsError } from "../../../core/chats/teams/teams-errors.ts";
import { DEFAULT_SERVER, isChannel, isTeamsServer, toThread, toTokenUrl } from "../../../core/chats/teams/teams-server.ts";
import { parseRetryAfterMs } from "../../../core/deliveries/schedule.ts";
import type { ChatVendor, Teams, TeamsCredential, VendorAnswer } from "../../../ports/chats.ts";
import { ForbiddenAddressError } from "../egress.ts";
import { fetchGuarded } from "../guarded-fetch.ts";
import { keySets } from "../key-sets.ts";

const MAX_BYTES = 1024 * 1024;
/** A token is replaced before it expires, because a request with it takes some time. */
const MARGIN_MS = 5 * 60_000;
const MOST_TOKENS = 200;

/** The tokens of bots in this process, by all that they depend on. */
const tokens = new Map<string, { value: string; expiresAtMs: number }>();

const keyOf = ({ login_url: loginUrl, tenant_id: tenant, app_id: app, app_password: password }: TeamsCredential) =>
  createHash("sha256")
    .update(JSON.stringify([loginUrl, tenant, app, password]))
    .digest("base64url");

interface SentRequest {
  method: "GET" | "POST" | "PUT";
  headers: Record<string, string>;
  body?: string;
}
const send = (url: string, { method, headers, body = "" }: SentRequest) =>
  fetchGuarded(url, { method, headers, body, timeoutMs: limits.chatAnswerMs, maxBytes: MAX_BYTES, keepAlive: true });

const tokenSchema = z.object({ access_token: z.string(), expires_in: z.coerce.number() });
const tokenErrorSchema = z.object({ error: z.string() });
const errorSchema = z.object({ error: z.object({ code: z.string() }) });

/** Returns the bot's token (https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-authentication#bot-to-connector). */
async function loadToken(credential: TeamsCredential): Promise<VendorAnswer<string>> {
  const key = keyOf(credential);
  const cached = tokens.get(key);
  if (cached && cached.expiresAtMs > Date.now()) return { ok: true, value: cached.value };
  const response = await send(toTokenUrl(credential.login_url, credential.tenant_id), {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: credential.app_id,
      client_secret: credential.app_password,
      scope: "https://api.botframework.com/.default",
    }).toString(),
  });
  if (!response.ok) return toFailure(response, tokenErrorSchema.safeParse(await readJson(response)).data?.error);
  const { access_token: value, expires_in: expiresInS } = tokenSchema.parse(await response.json());
  for (const oldest of tokens.keys()) {
    if (tokens.size < MOST_TOKENS) break;
    tokens.delete(oldest);
  }
  tokens.set(key, { value, expiresAtMs: Date.now() + expiresInS * 1000 - MARGIN_MS });
  return { ok: true, value };
}

/** Replies of proxies are HTML. */
const readJson = (response: Response): Promise<unknown> =>
  response.json().catch(
    // The caller refuses a reply without the fields that it needs.
    () => undefined,
  );

const toFailure = ({ status, headers }: Response, code: string | undefined) =>
  describeTeamsError(status, code, parseRetryAfterMs(headers.get("retry-after") ?? undefined, Date.now()));

/** Calls the connector, and parses its reply. A call that failed is a return value. */
async function call<Value>(
  credential: TeamsCredential,
  server: string,
  { method, path, body }: { method: SentRequest["method"]; path: string; body?: object },
  parse: (json: unknown) => Value,
): Promise<VendorAnswer<Value>> {
  if (!isTeamsServer(server, credential.login_url))
    return { ok: false, final: true, error: "the server of the conversation is not one of Teams" };
  try {
    const token = await loadToken(credential);
    if (!token.ok) return token;
    const response = await send(`${server.replace(/\/?$/, "/")}v3/${path}`, {
      method,
      headers: { authorization: `Bearer ${token.value}`, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (response.ok) return { ok: true, value: parse(await readJson(response)) };
    if (response.status === 401) tokens.delete(keyOf(credential));
    return toFailure(response, errorSchema.safeParse(await readJson(response)).data?.error.code);
  } catch (error) {
    if (error instanceof ForbiddenAddressError)
      return { ok: false, final: true, error: "the login_url of the resource is inside the network, which is not allowed" };
    // Anything else, for example HTML instead of JSON. The message of an error can contain the address or the body.
    const { name, code } = error as { name: string; code?: string };
    return { ok: false, final: false, error: `Teams did not answer as expected (${code ?? name})` };
  }
}

const segment = encodeURIComponent;
const sentSchema = z.object({ id: z.string() });
const createdSchema = z.object({ id: z.string(), activityId: z.string() });
const teamSchema = z.object({ name: z.string() });
const channelsSchema = z.object({ conversations: z.array(z.object({ id: z.string(), name: z.string().nullish() })) });
const memberSchema = z.object({
  aadObjectId: z.string().nullish(),
  objectId: z.string().nullish(),
  tenantId: z.string().nullish(),
  userRole: z.string().nullish(),
  userPrincipalName: z.string().nullish(),
});

/** Begins a thread in a channel, or sends a message to a chat or a thread. Returns the id of the message. */
function postActivity(
  credential: TeamsCredential,
  { channel, server, thread }: { channel: string; server: string; thread?: string | undefined },
  activity: object,
): Promise<VendorAnswer<string>> {
  if (isChannel(channel) && thread === undefined)
    return call(
      credential,
      server,
      {
        method: "POST",
        path: "conversations",
        body: {
          isGroup: true,
          bot: { id: `28:${credential.app_id}` },
          tenantId: credential.tenant_id,
          channelData: { channel: { id: channel }, tenant: { id: credential.tenant_id } },
          activity,
        },
      },
      (json) => createdSchema.parse(json).activityId,
    );
  const conversation = thread === undefined ? channel : toThread(channel, thread);
  return call(
    credential,
    server,
    { method: "POST", path: `conversations/${segment(conversation)}/activities`, body: activity },
    (json) => sentSchema.parse(json).id,
  );
}

/** Opens the chat with a person, for whom the app must be installed, or who must be a member of a team that has it. */
const openChat = (credential: TeamsCredential, server: string, user: string): Promise<VendorAnswer<string>> =>
  call(
    credential,
    server,
    {
      method: "POST",
      path: "conversations",
      body: {
        isGroup: false,
        bot: { id: `28:${credential.app_id}` },
        members: [{ id: user }],
        tenantId: credential.tenant_id,
        channelData: { tenant: { id: credential.tenant_id } },
      },
    },
    (json) => sentSchema.parse(json).id,
  );

const attach = (card: object) => ({ contentType: "application/vnd.microsoft.card.adaptive", content: card });
const toMessage = (summary: string, card: object) => ({ type: "message", summary, attachments: [attach(card)] });

/** The server of a conversation that no call of the bot has named. A resource with its own `login_url` has it at this address. */
const defaultServer = ({ login_url: loginUrl }: TeamsCredential): string => (loginUrl === undefined ? DEFAULT_SERVER : loginUrl);

/** Messages of a bot in Teams, by the connector's REST API (https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference). */
export const teamsChats: ChatVendor<TeamsCredential> = {
  async post(credential, { channel, thread, server = defaultServer(credential) }, content) {
    if (channel.includes(";"))
      return { ok: false, final: true, error: "the id of the channel also names a message: use the part before the semicolon" };
    const posted = await postActivity(credential, { channel, server, thread }, toMessage(content.title, toTeamsCard(content)));
    return posted.ok ? { ok: true, value: { channel, ts: posted.value, server } } : posted;
  },
  update: (credential, { channel, ts, server = defaultServer(credential) }, content) =>
    call(
      credential,
      server,
      {
        method: "PUT",
        path: `conversations/${segment(toThread(channel, ts))}/activities/${segment(ts)}`,
        body: { ...toMessage(content.title, toTeamsCard(content)), id: ts },
      },
      () => undefined,
    ),
  async openDirectMessage(credential, user) {
    const server = defaultServer(credential);
    const opened = await openChat(credential, server, user);
    return opened.ok ? { ok: true, value: { channel: opened.value, server } } : opened;
  },
};

/** The calls with which activities of Teams are answered. */
export const teams: Teams = {
  async fetchSigningKeys(metadataUrl) {
    const response = await send(metadataUrl, { method: "GET", headers: { accept: "application/json" } });
    if (!response.ok) throw new Error(`The Bot Framework responded with status ${response.status}.`);
    const { jwks_uri: keysUrl } = z.object({ jwks_uri: z.url() }).parse(await response.json());
    return keySets.fetchKeySet(keysUrl);
  },
  findPerson: (credential, { server, conversation, account }) =>
    call(credential, server, { method: "GET", path: `conversations/${segment(conversation)}/members/${segment(account)}` }, (json) => {
      const { aadObjectId, objectId, tenantId, userRole, userPrincipalName } = memberSchema.parse(json);
      return {
        id: aadObjectId ?? objectId ?? undefined,
        tenant: tenantId ?? undefined,
        principalName: userPrincipalName ?? undefined,
        isUser: userRole === "user",
      };
    }),
  async describeTeam(credential, { server, team }) {
    const path = `teams/${segment(team)}`;
    const details = await call(credential, server, { method: "GET", path }, (json) => teamSchema.parse(json));
    if (!details.ok) return details;
    return call(credential, server, { method: "GET", path: `${path}/conversations` }, (json) => ({
      name: details.value.name,
      // The first channel of a team has no name there, because each client shows it in its own language.
      channels: channelsSchema.parse(json).conversations.map(({ id, name }) => ({ id, name: name || "General" })),
    }));
  },
  async send(credential, { server, conversation }, { text, card }) {
    const attachments = card ? { attachments: [attach(card)] } : {};
    const activity = { type: "message", text, textFormat: "plain", ...attachments };
    const posted = await postActivity(credential, { channel: conversation, server }, activity);
    return posted.ok ? { ok: true, value: undefined } : posted;
  },
  async tell(credential, { server, account }, text) {
    const opened = await openChat(credential, server, account);
    return opened.ok ? teams.send(credential, { server, conversation: opened.value }, { text }) : opened;
  },
};
