import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import * as z from "zod";
import { chatVendors } from "../../contract/notices/chat-vendors.ts";
import { assertNever } from "../../contract/utilities/assert-never.ts";
import { defineObject } from "../objects/define-object.ts";
import { hashToken } from "../people/token.ts";
import type { ChatUser } from "./chat-call.ts";
import type { ChatCredential } from "./chat-credential.ts";

/** The person in a chat, and the resource of the app that named them. */
const chatPerson = {
  vendor: z.enum(chatVendors),
  team: z.string(),
  user: z.string(),
  name: z.string(),
  /** The id by which the vendor takes direct messages, if it is not `user`. */
  account: z.string().optional(),
  /** The confirmed address that the vendor named. */
  address: z.string().optional(),
  workspace: z.string(),
  resource: z.string(),
};

/**
 * A request to connect a person in a chat with a user. Only the hash of its secret is stored. A person has one request at a time, so a newer link
 * replaces the earlier ones.
 */
export const chatLinkSchema = z.object({ ...chatPerson, hash: z.string(), expiresAtMs: z.number() });
export type ChatLink = z.infer<typeof chatLinkSchema>;

/** A person in a chat whose clicks count as those of a user of the instance. */
export const chatAccountSchema = z.object({ ...chatPerson, id: z.string(), email: z.string(), connectedAtMs: z.number() });
export type ChatAccount = z.infer<typeof chatAccountSchema>;

/**
 * Identifies a person in a chat, as one app names them. The app is a part, because every creator of a resource can sign calls in the name of
 * every person of every team.
 */
export const toChatAccountId = ({ vendor, team, id, app }: Pick<ChatUser, "vendor" | "team" | "id" | "app">): string =>
  createHash("sha256")
    .update(JSON.stringify([vendor, team, id, app]))
    .digest("base64url");

/** Identifies the app of a resource by what proves its calls, because every creator of a resource can choose the rest. */
export function identifyChatApp(credential: ChatCredential): string {
  switch (credential.type) {
    case "slack":
      return hashApp(credential.signing_secret);
    case "discord":
      return hashApp(`${credential.application_id} ${credential.public_key}`);
    case "ms_teams_bot":
      // The creator of a resource chooses the keys with `login_url`.
      return hashApp(JSON.stringify(["teams", credential.app_id, credential.login_url ?? ""]));
    default:
      return assertNever(credential);
  }
}

const hashApp = (proof: string): string => hashToken(`chat app ${proof}`);

const ID_CHARS = 43;

/** Creates the secret part of a link, which its address contains together with the id of the person. */
export function createLinkText(id: string): { text: string; hash: string } {
  const secret = randomBytes(32).toString("base64url");
  return { text: `${id}${secret}`, hash: hashToken(secret) };
}

/** Returns the id of the person for whom a link was created, and its secret. */
export const splitLinkText = (text: string): { id: string; secret: string } => ({
  id: text.slice(0, ID_CHARS),
  secret: text.slice(ID_CHARS),
});

/** Returns whether a secret belongs to a link that has not expired. */
export const isLinkOpen = ({ hash, expiresAtMs }: ChatLink, secret: string, nowMs: number): boolean =>
  expiresAtMs > nowMs && timingSafeEqual(Buffer.from(hash), Buffer.from(hashToken(secret)));

/** The open request of a person in a chat, by `toChatAccountId`. */
export const chatLinkObject = defineObject({
  name: "link of a chat account",
  partition: "CHATLINK",
  within: (id: string) => id,
  sort: () => "link",
  belongsTo: "none",
  schema: chatLinkSchema,
});

/** The connection of a person in a chat with a user, by `toChatAccountId`. */
export const chatAccountObject = defineObject({
  name: "chat account",
  partition: "CHATACCOUNT",
  within: (id: string) => id,
  sort: () => "account",
  belongsTo: "none",
  schema: chatAccountSchema,
});

/** The chat accounts of a user, by `personKey`. */
export const userChatAccountObject = defineObject({
  name: "chat account of a user",
  partition: "USERCHATS",
  within: (person: string) => person,
  sort: (id: string) => id,
  belongsTo: "none",
  schema: chatAccountSchema,
});
