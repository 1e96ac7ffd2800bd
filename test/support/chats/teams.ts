import { randomUUID } from "node:crypto";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { type Card, checkCard, type Entries, press } from "./teams-card.ts";

/** A message that the fake keeps. */
interface KeptMessage {
  conversation: string;
  id: string;
  card?: Card;
  text?: string;
  summary?: string;
}
interface SentActivity {
  text?: string;
  summary?: string;
  attachments?: { contentType: string; content: Card }[];
}
/** A member of the tenant, in the fields of the connector. */
interface FakePerson {
  userPrincipalName?: string;
  userRole?: string;
  tenantId?: string;
}

const TEAM = "19:team@thread.tacv2";
const CHANNEL = "19:approvals@thread.tacv2";
const ISSUER = "https://api.botframework.com";

/** The changes that a test makes to the token of a call. */
interface TokenChanges {
  claims?: Record<string, unknown>;
  atS?: number;
  key?: Parameters<SignJWT["sign"]>[0];
  header?: { alg: string; kid?: string };
}

/**
 * A tenant with one bot, one team and two channels on loopback: the sign-in service, the Bot Framework's keys, and the connector. It checks tokens and cards, keeps messages,
 * and signs the calls of people who use a card. `answers` replaces the next answers to a path.
 */
export async function startTeams() {
  const tenant = randomUUID();
  const appId = randomUUID();
  const password = randomUUID();
  const bearer = randomUUID();
  const { publicKey, privateKey } = await generateKeyPair("RS256");
  const key = { ...(await exportJWK(publicKey)), kid: "k1", use: "sig", alg: "RS256", endorsements: ["msteams"] };
  const messages: KeptMessage[] = [];
  const calls: string[] = [];
  const bodies: string[] = [];
  const people = new Map<string, FakePerson>();
  const team = {
    name: "Release",
    conversations: [
      { id: TEAM, name: null as string | null },
      { id: CHANNEL, name: "Approvals" },
    ],
  };
  const answers: { path: RegExp; status: number; headers?: Record<string, string>; body: string }[] = [];
  /** `beforeAnswer` is called while a request waits for its reply. */
  const events: { beforeAnswer?: (path: string) => Promise<unknown> } = {};
  const counted = { messages: 0 };
  const nextId = () => {
    counted.messages += 1;
    return String(1_700_000_000_000 + counted.messages);
  };
  const keep = (conversation: string, { text, summary, attachments = [] }: SentActivity): string => {
    const [attachment] = attachments;
    if (attachment) checkCard(attachment.content);
    const message = { conversation, id: nextId(), ...contentOf({ text, summary, card: attachment?.content }) };
    messages.push(message);
    return message.id;
  };

  const createConversation = (body: {
    isGroup: boolean;
    channelData: { channel?: { id: string } };
    members?: { id: string }[];
    activity?: SentActivity;
  }) => {
    const channel = body.channelData.channel?.id;
    if (channel === undefined) return { status: 201, json: { id: `a:${body.members?.[0]?.id}` } };
    if (!team.conversations.some(({ id }) => id === channel)) return refuse(404, "ConversationNotFound");
    const id = keep(channel, body.activity ?? {});
    return { status: 201, json: { id: `${channel};messageid=${id}`, activityId: id } };
  };

  const connector = (method: string, path: string, body: string) => {
    if (method === "POST" && path === "conversations") return createConversation(JSON.parse(body));
    const parts = path.split("/").map(decodeURIComponent);
    const [kind, id = "", what, item = ""] = parts;
    if (kind === "teams") {
      if (id !== TEAM) return refuse(404, "NotFound");
      return { status: 200, json: what === "conversations" ? { conversations: team.conversations } : { id, name: team.name } };
    }
    if (what === "members") {
      const person = people.get(item);
      if (!person) return refuse(404, "MemberNotFoundInConversation");
      return { status: 200, json: { id: item, aadObjectId: idOf(item), tenantId: tenant, userRole: "user", ...person } };
    }
    if (method === "POST") return { status: 201, json: { id: keep(id, JSON.parse(body)) } };
    const found = messages.find((message) => `${message.conversation};messageid=${message.id}` === id || message.conversation === id);
    if (found?.id !== item) return refuse(404, "ActivityNotFoundInConversation");
    const { text, summary, attachments = [] } = JSON.parse(body) as SentActivity;
    const [attachment] = attachments;
    if (attachment) checkCard(attachment.content);
    Object.assign(found, contentOf({ text, summary, card: attachment?.content }));
    return { status: 200, json: { id: item } };
  };

  const issueToken = (body: string) => {
    const form = new URLSearchParams(body);
    if (form.get("client_secret") !== password) return { status: 401, json: { error: "invalid_client" } };
    const fits = form.get("client_id") === appId && form.get("scope") === "https://api.botframework.com/.default";
    return fits
      ? { status: 200, json: { access_token: bearer, expires_in: 3600 } }
      : { status: 400, json: { error: "unauthorized_client" } };
  };

  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString("utf8");
    const path = request.url ?? "";
    calls.push(`${request.method} ${path}`);
    bodies.push(body);
    await events.beforeAnswer?.(path);
    const planned = answers.findIndex((answer) => answer.path.test(path));
    if (planned >= 0) {
      const [answer] = answers.splice(planned, 1);
      response.writeHead(answer?.status ?? 200, { "content-type": "application/json", ...answer?.headers }).end(answer?.body);
      return;
    }
    const reply = ((): { status: number; json: object } => {
      if (path === "/v1/.well-known/openidconfiguration") return { status: 200, json: { issuer: ISSUER, jwks_uri: `${origin}/keys` } };
      if (path === "/keys") return { status: 200, json: { keys: [key] } };
      if (path === `/${tenant}/oauth2/v2.0/token`) return issueToken(body);
      if (request.headers.authorization !== `Bearer ${bearer}`) return refuse(401, "Unauthorized");
      const [, rest] = /^(?:\/emea)?\/v3\/(.*)$/.exec(path) ?? [];
      return rest === undefined ? refuse(404, "NotFound") : connector(request.method ?? "", rest, body);
    })();
    response.writeHead(reply.status, { "content-type": "application/json" }).end(JSON.stringify(reply.json));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const serviceUrl = `${origin}/emea/`;

  const activity = (more: object) => ({
    channelId: "msteams",
    serviceUrl,
    recipient: { id: `28:${appId}`, name: "svc" },
    channelData: { tenant: { id: tenant }, team: { id: TEAM, name: team.name } },
    ...more,
  });
  const personOf = (user: string) => ({ id: user, name: user.replace("29:", ""), aadObjectId: idOf(user) });
  const inConversation = (conversation: string) => ({ conversation: { id: conversation, tenantId: tenant } });

  return {
    resource: { app_id: appId, app_password: password, tenant_id: tenant, login_url: origin, default_channel: CHANNEL },
    tenant,
    team: TEAM,
    /** The data of activities in the team. */
    teamData: { tenant: { id: tenant }, team: { id: TEAM, name: team.name } },
    channel: CHANNEL,
    serviceUrl,
    details: team,
    messages,
    calls,
    bodies,
    people,
    answers,
    events,
    /** Returns the headers of a call: a token of the Bot Framework for the activity. `atS`: the time of the signature (epoch s). */
    async sign(atS: number, { claims = {}, header = { alg: "RS256", kid: "k1" }, key: signer = privateKey }: TokenChanges = {}) {
      const token = await new SignJWT({ iss: ISSUER, aud: appId, serviceurl: serviceUrl, nbf: atS - 10, exp: atS + 3600, ...claims })
        .setProtectedHeader(header)
        .sign(signer);
      return { "content-type": "application/json", authorization: `Bearer ${token}` };
    },
    /**
     * Returns the activity that follows when a person presses a button of a card in a message. `card`: the one that they see alone, if it is not the card of the message.
     * `isOld`: their client does not support universal actions.
     */
    press(
      message: KeptMessage,
      label: string,
      user: string,
      { card = message.card, entries = {}, isOld = false }: { card?: Card | undefined; entries?: Entries; isOld?: boolean } = {},
    ) {
      if (!card) throw new Error("The message has no card.");
      const { action, data } = press(card, label, entries);
      if (action.type !== "Action.Execute" || action.fallback?.type !== "Action.Submit")
        throw new Error(`${label} is no universal action.`);
      const shared = { from: personOf(user), ...inConversation(`${message.conversation};messageid=${message.id}`), replyToId: message.id };
      if (isOld) return activity({ ...shared, type: "message", value: data });
      const value = { action: { type: "Action.Execute", verb: action.verb, data }, trigger: "manual" };
      return activity({ ...shared, type: "invoke", name: "adaptiveCard/action", value });
    },
    /** Returns the activity that follows when the bot is added to the team, or removed from it. */
    install: (what: "membersAdded" | "membersRemoved") =>
      activity({
        type: "conversationUpdate",
        from: personOf("29:admin"),
        ...inConversation(TEAM),
        [what]: [{ id: `28:${appId}` }],
      }),
    /** Returns an activity with these fields in the team. */
    activity: (more: object) => activity({ from: personOf("29:admin"), ...inConversation(TEAM), ...more }),
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}
export type FakeTeams = Awaited<ReturnType<typeof startTeams>>;

const refuse = (status: number, code: string) => ({ status, json: { error: { code, message: "no" } } });
const idOf = (user: string) => `aad-${user.replace("29:", "")}`;
const contentOf = (content: { text?: string | undefined; summary?: string | undefined; card?: Card | undefined }) =>
  JSON.parse(JSON.stringify(content)) as Omit<KeptMessage, "conversation" | "id">;
