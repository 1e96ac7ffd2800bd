import { createHmac, randomUUID } from "node:crypto";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { checkView, type Entries, fillView, type View } from "./slack-view.ts";

/** A message that the fake keeps. `only`: it was shown to one person. */
interface KeptMessage {
  channel: string;
  ts: string;
  text: string;
  blocks: Block[];
  thread?: string;
  only?: string;
}
interface Block {
  type: string;
  text?: { type: string; text: string };
  elements?: { action_id: string; value?: string; url?: string; text: { text: string } }[];
}
/** A member of the team, in the fields of Slack's user object. */
interface FakePerson {
  email?: string;
  confirmed?: boolean;
  guest?: boolean;
  team?: string;
}

const TEAM = "T0TEAM";
const CHANNEL = "C0CHANNEL";
/** The channels of the app, besides the direct messages. */
const CHANNELS = [CHANNEL, "C0SECOND", "C0THIRD"];
/** The scopes that each method needs. */
const SCOPES: Readonly<Record<string, string>> = {
  "chat.postMessage": "chat:write",
  "chat.update": "chat:write",
  "chat.postEphemeral": "chat:write",
  "users.info": "users:read",
  "users.lookupByEmail": "users:read.email",
  "views.open": "",
};

/**
 * A Slack team with one app and three channels on loopback. It checks the token, the scopes and the limits of Block Kit as Slack does, keeps messages and
 * dialogs, and signs the calls of people who click. `answers` replaces the next answers of a method.
 */
export async function startSlack() {
  const token = `xoxb-${randomUUID()}`;
  const signingSecret = randomUUID();
  const messages: KeptMessage[] = [];
  const dialogs: { trigger: string; view: View }[] = [];
  const files = new Map<string, Buffer>();
  const calls: string[] = [];
  const bodies: string[] = [];
  /** The address, the headers and the body of each request, without its token. */
  const requests: string[] = [];
  const people = new Map<string, FakePerson>();
  const scopes = new Set(["chat:write", "users:read", "users:read.email", "files:read"]);
  const answers: { method: string; status?: number; headers?: Record<string, string>; body: string }[] = [];
  const started = { messages: 0 };
  /** `beforeAnswer` is called while a request waits for its reply. */
  const events: { beforeAnswer?: (method: string) => Promise<unknown> } = {};
  const nextTs = () => {
    started.messages += 1;
    return `1700000000.${String(started.messages).padStart(6, "0")}`;
  };

  const methods: Readonly<Record<string, (args: Record<string, string>) => object>> = {
    "chat.postMessage": ({ channel: target = "", text = "", blocks = "[]", thread_ts: thread }) => {
      const channel = people.has(target) ? directMessagesOf(target) : target;
      if (!CHANNELS.includes(channel) && !channel.startsWith("D")) return refuse("channel_not_found");
      const ts = nextTs();
      messages.push({ channel, ts, text, blocks: parseBlocks(blocks), ...(thread ? { thread } : {}) });
      return { ok: true, channel, ts };
    },
    "chat.update": ({ channel = "", ts = "", text = "", blocks = "[]" }) => {
      const found = messages.find((message) => message.channel === channel && message.ts === ts);
      if (!found) return refuse("message_not_found");
      Object.assign(found, { text, blocks: parseBlocks(blocks) });
      return { ok: true, channel, ts };
    },
    "chat.postEphemeral": ({ channel = "", user = "", text = "" }) => {
      messages.push({ channel, ts: nextTs(), text, blocks: [], only: user });
      return { ok: true };
    },
    "views.open": ({ trigger_id: trigger = "", view = "{}" }) => {
      const dialog = JSON.parse(view) as View;
      checkView(dialog);
      dialogs.push({ trigger, view: dialog });
      return { ok: true };
    },
    "users.info": ({ user = "" }) => ({ ok: true, user: userObject(user) }),
    "users.lookupByEmail": ({ email = "" }) => {
      const [user] = [...people].find(([, person]) => person.email === email) ?? [];
      return user === undefined ? refuse("users_not_found") : { ok: true, user: userObject(user) };
    },
  };
  function userObject(user: string): object {
    const { email, confirmed = true, guest = false, team = TEAM } = people.get(user) ?? {};
    const profile = email !== undefined && scopes.has("users:read.email") ? { email } : {};
    return { id: user, team_id: team, is_restricted: guest, is_email_confirmed: confirmed, profile };
  }

  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString("utf8");
    const method = (request.url ?? "").replace(/^\/api\//, "");
    calls.push(method);
    await events.beforeAnswer?.(method);
    bodies.push(body);
    const { authorization: _, ...headers } = request.headers;
    requests.push(JSON.stringify([request.url, headers, decodeURIComponent(body.replaceAll("+", " "))]));
    const planned = answers.findIndex((answer) => answer.method === method);
    if (planned >= 0) {
      const [answer] = answers.splice(planned, 1);
      response.writeHead(answer?.status ?? 200, { "content-type": "application/json", ...answer?.headers }).end(answer?.body);
      return;
    }
    const file = files.get(request.url ?? "");
    if (file) {
      const mayRead = scopes.has("files:read") && request.headers.authorization === `Bearer ${token}`;
      response.writeHead(200).end(mayRead ? file : "<html>Sign in</html>");
      return;
    }
    const needed = SCOPES[method];
    const reply =
      request.headers.authorization !== `Bearer ${token}`
        ? refuse("invalid_auth")
        : needed === undefined
          ? refuse("unknown_method")
          : needed !== "" && !scopes.has(needed)
            ? refuse("missing_scope")
            : methods[method]?.(Object.fromEntries(new URLSearchParams(body)));
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(reply));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  /** Signs a body as Slack does. `atS`: the time of the signature (epoch s). */
  function sign(body: string, atS: number): Record<string, string> {
    const hex = createHmac("sha256", signingSecret).update(`v0:${atS}:${body}`).digest("hex");
    return {
      "content-type": "application/x-www-form-urlencoded",
      "x-slack-request-timestamp": String(atS),
      "x-slack-signature": `v0=${hex}`,
    };
  }
  const interaction = (payload: object) => new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  function newestView(): View {
    const { view } = dialogs.at(-1) ?? {};
    if (!view) throw new Error("No dialog was opened.");
    return view;
  }
  const personOf = (user: string) => ({ id: user, username: user.toLowerCase(), team_id: TEAM });

  return {
    resource: { token, signing_secret: signingSecret, api_url: `http://127.0.0.1:${port}/api/`, default_channel: CHANNEL },
    channel: CHANNEL,
    channels: CHANNELS,
    messages,
    dialogs,
    calls,
    bodies,
    requests,
    people,
    scopes,
    answers,
    events,
    sign,
    /** Returns the body of the call that follows a click on the button with this label. */
    click(message: KeptMessage, label: string, user: string, team = TEAM): string {
      const button = message.blocks.flatMap(({ elements = [] }) => elements).find(({ text }) => text.text === label);
      if (!button) throw new Error(`The message has no button ${label}.`);
      return interaction({
        type: "block_actions",
        user: { ...personOf(user), team_id: team },
        team: { id: TEAM },
        trigger_id: randomUUID(),
        container: { channel_id: message.channel, message_ts: message.ts },
        actions: [{ action_id: button.action_id, ...(button.value === undefined ? {} : { value: button.value }) }],
      });
    },
    /** Stores a file as if a person had uploaded it in a dialog, and returns Slack's object of it. */
    upload(name: string, mimetype: string, content: Buffer): object {
      const path = `/files/${randomUUID()}`;
      files.set(path, content);
      return { id: "F0FILE", name, mimetype, size: content.length, url_private: `http://127.0.0.1:${port}${path}` };
    },
    /** Returns the body of the call that follows the submission of a form in the newest dialog. `loaded`: the options of the last suggestion. */
    submitForm(entries: Entries, user: string, loaded: Parameters<typeof fillView>[2] = []): string {
      const view = newestView();
      return interaction({
        type: "view_submission",
        user: personOf(user),
        team: { id: TEAM },
        view: { ...view, state: { values: fillView(view, entries, loaded) } },
      });
    },
    /** Returns the body of the call that follows when a person types in a field of the newest dialog whose options are loaded. */
    typeIn(label: string, value: string, user: string): string {
      const view = newestView();
      const block = view.blocks.find((each) => each.label?.text === label);
      if (!block?.element?.type.endsWith("external_select")) throw new Error(`The field ${label} loads no options.`);
      return interaction({
        type: "block_suggestion",
        user: personOf(user),
        team: { id: TEAM },
        block_id: block.block_id,
        action_id: block.element.action_id,
        value,
        view,
      });
    },
    /** Returns the body of the call that follows the submission of the newest dialog. */
    submit(text: string, user: string): string {
      const view = newestView();
      return interaction({
        type: "view_submission",
        user: personOf(user),
        team: { id: TEAM },
        view: { ...view, state: { values: { reason: { text: { type: "plain_text_input", value: text } } } } },
      });
    },
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}
export type FakeSlack = Awaited<ReturnType<typeof startSlack>>;

/** The channel of the direct messages with a person. */
export const directMessagesOf = (user: string): string => `D${user}`;

const refuse = (error: string) => ({ ok: false, error });

/** Parses blocks and checks the limits of Block Kit: https://docs.slack.dev/reference/block-kit/blocks */
function parseBlocks(json: string): Block[] {
  const blocks = JSON.parse(json) as Block[];
  if (blocks.length > 50) throw new Error("A message has at most 50 blocks.");
  for (const { type, text, elements = [] } of blocks) {
    if (type === "section" && ((text?.text.length ?? 0) < 1 || (text?.text.length ?? 0) > 3000))
      throw new Error("The text of a section has 1 to 3,000 characters.");
    if (elements.length > 25) throw new Error("A block of actions has at most 25 elements.");
    for (const element of elements) {
      if ((element.value?.length ?? 0) > 2000) throw new Error("The value of a button has at most 2,000 characters.");
      if (element.text.text.length > 75) throw new Error("The text of a button has at most 75 characters.");
    }
  }
  return blocks;
}
