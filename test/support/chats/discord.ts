import { generateKeyPairSync, randomUUID, sign as signBytes } from "node:crypto";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { GuildMemberFlags, InteractionResponseType, InteractionType, MessageFlags } from "discord-api-types/v10";
import { type Component, type Content, checkMessage, checkModal, type Entries, fillModal, type Modal } from "./discord-checks.ts";

/** A message that the fake keeps. `only`: one person sees it. */
export interface KeptMessage {
  id: string;
  channel_id: string;
  components: Component[];
  nonce?: string;
  thread?: string;
  only?: string;
  interaction_metadata?: object;
}
interface OpenModal {
  modal: Modal;
  message: KeptMessage;
  user: string;
}
/** The reply of the service to an interaction. */
interface Reply {
  type: number;
  data?: Content & Modal;
}
interface FakePerson {
  bot?: boolean;
  guest?: boolean;
}

const GUILD = "2000000000000000001";
const CHANNEL = "3000000000000000001";

/**
 * An application of Discord with one server and one channel on loopback. It checks the token and the limits of messages and modals as Discord does, keeps them, and signs
 * the calls of people who click. `answers` replaces the next answers of a route.
 */
export async function startDiscord() {
  const token = `bot-${randomUUID()}`;
  const applicationId = "1000000000000000001";
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const { x = "" } = publicKey.export({ format: "jwk" });
  const messages: KeptMessage[] = [];
  const modals: OpenModal[] = [];
  const files = new Map<string, Buffer>();
  const attachments = new Map<string, object>();
  const people = new Map<string, FakePerson>();
  const calls: string[] = [];
  const bodies: string[] = [];
  const agents = new Set<string>();
  const answers: { route: string; status?: number; headers?: Record<string, string>; body: string }[] = [];
  /** The channels of direct messages, by the id of the person. */
  const directChannels = new Map<string, string>();
  /** `beforeAnswer` is called while a request waits for its reply. */
  const events: { beforeAnswer?: (route: string) => Promise<unknown> } = {};
  const counted = { ids: 0 };
  const nextId = () => {
    counted.ids += 1;
    return String(4000000000000000000n + BigInt(counted.ids));
  };
  const isChannel = (id: string) => id === CHANNEL || [...directChannels.values()].includes(id);

  function post(channel: string, body: Content & { nonce?: string; enforce_nonce?: boolean; message_reference?: { message_id: string } }) {
    if (!isChannel(channel)) return refuse(404, 10003, "Unknown Channel");
    checkMessage(body);
    const { nonce, message_reference: reference, components = [] } = body;
    const posted = body.enforce_nonce ? messages.find((message) => message.nonce === nonce) : undefined;
    if (posted) return { status: 200, body: posted };
    if (nonce !== undefined && nonce.length > 25) return refuse(400, 50035, "Invalid Form Body");
    const message: KeptMessage = { id: nextId(), channel_id: channel, components };
    if (nonce !== undefined) message.nonce = nonce;
    if (reference) message.thread = reference.message_id;
    messages.push(message);
    return { status: 200, body: message };
  }

  function update(channel: string, id: string, body: Content) {
    const message = messages.find((each) => each.channel_id === channel && each.id === id);
    if (!message) return refuse(404, 10008, "Unknown Message");
    checkMessage(body);
    message.components = body.components ?? [];
    return { status: 200, body: message };
  }

  function openDirectMessages(user: string) {
    const channel = directChannels.get(user) ?? nextId();
    directChannels.set(user, channel);
    return { status: 200, body: { id: channel, type: 1 } };
  }

  function answerCall(method: string, route: string, body: string): { status: number; body: object } {
    const [, channel = "", message = ""] = /^\/channels\/(\d+)\/messages(?:\/(\d+))?$/.exec(route) ?? [];
    const json = JSON.parse(body || "{}") as Content & { recipient_id?: string };
    if (method === "POST" && channel && !message) return post(channel, json);
    if (method === "PATCH" && message) return update(channel, message, json);
    if (method === "POST" && route === "/users/@me/channels") return openDirectMessages(json.recipient_id ?? "");
    return refuse(404, 0, "404: Not Found");
  }

  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString("utf8");
    const file = files.get(request.url ?? "");
    if (file) {
      response.writeHead(200).end(file);
      return;
    }
    const route = (request.url ?? "").replace(/^\/api\/v10/, "");
    const name = `${request.method} ${route}`;
    calls.push(name);
    bodies.push(body);
    agents.add(request.headers["user-agent"] ?? "");
    await events.beforeAnswer?.(name);
    const planned = answers.findIndex((answer) => name.startsWith(answer.route));
    if (planned >= 0) {
      const [answer] = answers.splice(planned, 1);
      response.writeHead(answer?.status ?? 200, { "content-type": "application/json", ...answer?.headers }).end(answer?.body);
      return;
    }
    const reply =
      request.headers.authorization === `Bot ${token}`
        ? answerCall(request.method ?? "", route, body)
        : refuse(401, 0, "401: Unauthorized");
    response.writeHead(reply.status, { "content-type": "application/json" }).end(JSON.stringify(reply.body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  /** Signs a body as Discord does. `atS`: the time of the signature (epoch s). */
  function sign(body: string, atS: number): Record<string, string> {
    const signature = signBytes(null, Buffer.from(`${atS}${body}`), privateKey).toString("hex");
    return { "content-type": "application/json", "x-signature-ed25519": signature, "x-signature-timestamp": String(atS) };
  }

  function toInteraction(type: number, data: object, message: KeptMessage, user: string): string {
    const { bot = false, guest = false } = people.get(user) ?? {};
    const person = { id: user, username: `user${user.slice(-3)}`, global_name: "Somebody", bot };
    const isDirect = message.channel_id !== CHANNEL;
    return JSON.stringify({
      id: nextId(),
      application_id: applicationId,
      type,
      token: randomUUID(),
      version: 1,
      channel_id: message.channel_id,
      ...(isDirect
        ? { user: person, context: 1 }
        : { guild_id: GUILD, member: { user: person, flags: guest ? GuildMemberFlags.IsGuest : 0 }, context: 0 }),
      message: { ...message, flags: MessageFlags.IsComponentsV2 },
      data,
    });
  }

  /** Applies the reply of the service to an interaction, as Discord does. */
  function apply(interaction: string, { type, data }: Reply): void {
    const call = JSON.parse(interaction) as {
      type: number;
      message?: KeptMessage;
      member?: { user: { id: string } };
      user?: { id: string };
    };
    const user = call.member?.user.id ?? call.user?.id ?? "";
    const message = messages.find(({ id }) => id === call.message?.id);
    switch (type) {
      case InteractionResponseType.Pong:
      case InteractionResponseType.DeferredMessageUpdate:
        return;
      case InteractionResponseType.Modal: {
        if (call.type === InteractionType.ModalSubmit || !data || !message) throw new Error("Only a click opens a modal.");
        checkModal(data);
        modals.push({ modal: data, message, user });
        return;
      }
      case InteractionResponseType.UpdateMessage: {
        if (!data || !message) throw new Error("There is no message.");
        checkMessage(data);
        message.components = data.components ?? [];
        return;
      }
      case InteractionResponseType.ChannelMessageWithSource: {
        if (!data || ((data.flags ?? 0) & MessageFlags.Ephemeral) === 0) throw new Error("Only the person sees the reply.");
        checkMessage(data);
        const origin = { type: 3, interacted_message_id: call.message?.id };
        messages.push({
          id: nextId(),
          channel_id: call.message?.channel_id ?? CHANNEL,
          components: data.components ?? [],
          only: user,
          interaction_metadata: call.type === InteractionType.ModalSubmit ? { type: 5, triggering_interaction_metadata: origin } : origin,
        });
        return;
      }
      default:
        throw new Error(`Discord does not know the reply ${type}.`);
    }
  }

  return {
    resource: {
      token,
      application_id: applicationId,
      public_key: Buffer.from(x, "base64url").toString("hex"),
      api_url: `http://127.0.0.1:${port}/api`,
      default_channel: CHANNEL,
    },
    channel: CHANNEL,
    messages,
    modals,
    people,
    calls,
    bodies,
    agents,
    answers,
    events,
    sign,
    apply,
    /** Returns the body of the call that follows a click on the button with this label. */
    click(message: KeptMessage, label: string, user: string): string {
      const button = message.components.flatMap(({ components = [] }) => components).find((each) => each.label === label);
      if (!button) throw new Error(`The message has no button ${label}.`);
      return toInteraction(InteractionType.MessageComponent, { component_type: 2, id: 9, custom_id: button.custom_id }, message, user);
    },
    /** Stores a file as if a person had uploaded it in a modal, and returns its id. */
    upload(filename: string, contentType: string, content: Buffer, more: object = {}): string {
      const id = nextId();
      const path = `/attachments/${id}/${encodeURIComponent(filename)}`;
      files.set(path, content);
      const url = `http://127.0.0.1:${port}${path}`;
      attachments.set(id, { id, filename, content_type: contentType, size: content.length, url, ...more });
      return id;
    },
    /** Returns the body of the call that follows the submission of the newest modal. */
    submit(entries: Entries, user: string): string {
      const { modal, message } = modals.at(-1) ?? {};
      if (!modal || !message) throw new Error("No modal was opened.");
      const data = {
        custom_id: modal.custom_id,
        components: fillModal(modal, entries),
        resolved: { attachments: Object.fromEntries(attachments) },
      };
      return toInteraction(InteractionType.ModalSubmit, data, message, user);
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const refuse = (status: number, code: number, message: string) => ({ status, body: { code, message } });

export type FakeDiscord = Awaited<ReturnType<typeof startDiscord>>;
