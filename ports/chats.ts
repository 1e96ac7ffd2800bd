import type { JSONWebKeySet } from "jose";
import type { ChatContent } from "../core/chats/chat-content.ts";
import type { ChatCredential } from "../core/chats/chat-credential.ts";
import type { SlackBlock } from "../core/chats/slack/slack-message.ts";
import type { Attempt } from "../core/deliveries/attempt.ts";

/** The outcome of a call of a chat's vendor. A failed one contains the vendor's code, and what to do about it. */
export type VendorAnswer<Value> = { ok: true; value: Value } | Extract<Attempt, { ok: false }>;

/** The place of a message, as the vendor names it. */
export interface ChatPlace {
  channel: string;
  /** The id of the message in the channel. */
  ts: string;
  /** The address of the vendor's server that has the channel, where it is not always the same. */
  server?: string | undefined;
}

/** The place of a new message. */
export interface ChatTarget {
  channel: string;
  server?: string | undefined;
  /** The `ts` of the message that this one answers. */
  thread?: string | undefined;
  /** The same UUID in each attempt, with which some vendors recognise a repeated call. */
  key: string;
}

/** Posts and changes messages in the chats of one vendor. A call that failed is a return value; none is repeated here. */
export interface ChatVendor<Credential> {
  /** Posts a message. Unless the vendor recognises `key`, a repeated call posts another one. */
  post(credential: Credential, target: ChatTarget, content: ChatContent): Promise<VendorAnswer<ChatPlace>>;
  update(credential: Credential, place: ChatPlace, content: ChatContent): Promise<VendorAnswer<undefined>>;
  /** Opens the direct messages with a person, and returns the place for them. */
  openDirectMessage(credential: Credential, user: string): Promise<VendorAnswer<Pick<ChatTarget, "channel" | "server">>>;
  /** Returns the id of the member with a confirmed address; `undefined` for guests and for other addresses. Absent: the vendor cannot search by address. */
  findPersonByEmail?(credential: Credential, email: string): Promise<VendorAnswer<string | undefined>>;
}

/** The chats of every vendor. */
export type Chats = Required<ChatVendor<ChatCredential>>;

export type SlackCredential = Extract<ChatCredential, { type: "slack" }>;
export type DiscordCredential = Extract<ChatCredential, { type: "discord" }>;

/** Discord's API, with which submitted forms are read. Clicks are answered by their replies. */
export interface Discord {
  /** Downloads a file that a person has uploaded. `bytes`: its size as Discord reports it. */
  downloadFile(credential: DiscordCredential, url: string, bytes: number): Promise<VendorAnswer<Buffer>>;
}

/** A person in Slack (https://docs.slack.dev/reference/objects/user-object). */
export interface SlackPerson {
  team: string;
  /** The address, if it is confirmed. */
  email: string | undefined;
  /** A guest, a person of another team, a bot, or a deactivated account. */
  isOutsider: boolean;
}

/** Slack's Web API, with which clicks are answered. A call that failed is a return value; none is repeated here. */
export interface Slack {
  /** Posts a text that one person alone sees. */
  tell(credential: SlackCredential, to: { channel: string; user: string }, text: string): Promise<VendorAnswer<undefined>>;
  /** Opens a dialog. `trigger` is the id of a click, which is valid for three seconds. */
  openDialog(credential: SlackCredential, trigger: string, dialog: SlackBlock): Promise<VendorAnswer<undefined>>;
  /** Downloads a file that a person has uploaded. `bytes`: its size as Slack reports it. */
  downloadFile(credential: SlackCredential, url: string, bytes: number): Promise<VendorAnswer<Buffer>>;
  findPerson(credential: SlackCredential, user: string): Promise<VendorAnswer<SlackPerson>>;
}

export type TeamsCredential = Extract<ChatCredential, { type: "ms_teams_bot" }>;

/** A member of a conversation in Teams (https://learn.microsoft.com/microsoftteams/platform/bots/how-to/get-teams-context). */
export interface TeamsPerson {
  /** The ids of the person and of their tenant in Entra. */
  id: string | undefined;
  tenant: string | undefined;
  /** The name with which the person signs in. Its domain is one that the tenant has proved to own. */
  principalName: string | undefined;
  /** Guests and anonymous persons of meetings are none. */
  isUser: boolean;
}

/** The calls with which activities of Teams are answered. A call that failed is a return value, except that of `fetchSigningKeys`; none is repeated here. */
export interface Teams {
  /** Reads the keys that sign the calls of the Bot Framework, by its metadata. Throws any error if there are none. */
  fetchSigningKeys(metadataUrl: string): Promise<JSONWebKeySet>;
  /** `conversation`: the team or the chat of the person. `account`: their id there. */
  findPerson(
    credential: TeamsCredential,
    from: { server: string; conversation: string; account: string },
  ): Promise<VendorAnswer<TeamsPerson>>;
  /** Returns the name of a team and its channels. */
  describeTeam(
    credential: TeamsCredential,
    from: { server: string; team: string },
  ): Promise<VendorAnswer<{ name: string; channels: { id: string; name: string }[] }>>;
  /** Sends a text of users, as plain text, and a card. */
  send(
    credential: TeamsCredential,
    to: { server: string; conversation: string },
    message: { text: string; card?: object | undefined },
  ): Promise<VendorAnswer<undefined>>;
  /** Sends a text into the chat with one person. */
  tell(credential: TeamsCredential, to: { server: string; account: string }, text: string): Promise<VendorAnswer<undefined>>;
}
