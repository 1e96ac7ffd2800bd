import * as z from "zod";
import { timestamp } from "../../common.ts";
import { chatVendors } from "../../notices/chat-vendors.ts";
import { defineRoute } from "../../route.ts";

const signedIn = { fn: "people", auth: "token", status: 200 } as const;
const self = { domain: "tokens", need: "self", target: "none", personal: true } as const;

const chatPerson = {
  vendor: z.enum(chatVendors),
  team: z.string().describe("The id of the team in the chat application."),
  user: z.string().describe("The id of the person in the team."),
  name: z.string().describe("The name of the person in the chat."),
  address: z.string().optional().describe("The e-mail address that the chat application confirms."),
  workspace: z.string(),
  resource: z.string().describe("The path of the resource whose app named the person."),
};
export const chatAccountJson = z.object({ id: z.string(), ...chatPerson, connected_at: timestamp });
export type ChatAccountJson = z.output<typeof chatAccountJson>;

export const chatLinkJson = z.object({
  ...chatPerson,
  expires_at: timestamp,
  email: z.string().describe("Your e-mail address."),
  replaces: z.boolean().describe("The person in the chat is connected with another user, whom you would replace."),
});
export type ChatLinkJson = z.output<typeof chatLinkJson>;

/** The part of a link after `#`, which browsers do not send to servers by themselves. */
const byLink = z.object({ link: z.string().min(1).max(200).describe("The part of the link after `#`.") });

/** The persons in chats who stand for a user. */
export const chatAccountRoutes = {
  listChatAccounts: defineRoute({
    ...signedIn,
    method: "GET",
    name: "chatAccounts.list",
    summary: "List your accounts in chats, by which your clicks there count as yours.",
    path: "/api/users/chat_accounts",
    access: { ...self, verb: "read" },
    reply: { json: z.array(chatAccountJson) },
    errors: [],
  }),
  findChatLink: defineRoute({
    ...signedIn,
    method: "POST",
    name: "chatAccounts.findLink",
    summary: "Get the person in a chat who asked for a link. It takes a session, or a token without limits.",
    path: "/api/users/chat_accounts/find_link",
    access: { ...self, verb: "write" },
    audits: "nothing",
    body: byLink,
    reply: { json: chatLinkJson },
    errors: ["chat.linkGone", "chat.otherPerson", "token.notForJobs", "token.tooWide"],
  }),
  connectChatAccount: defineRoute({
    ...signedIn,
    method: "POST",
    name: "chatAccounts.connect",
    summary: "Connect the person in a chat who asked for a link with your user. It takes a session, or a token without limits.",
    path: "/api/users/chat_accounts",
    access: { ...self, verb: "write" },
    audits: { kind: "Created", resource: { reply: "named" } },
    body: byLink,
    status: 201,
    reply: { text: "A confirmation." },
    errors: ["chat.linkGone", "chat.otherPerson", "token.notForJobs", "token.tooWide", "engine.busy"],
  }),
  disconnectChatAccount: defineRoute({
    ...signedIn,
    method: "DELETE",
    name: "chatAccounts.disconnect",
    summary: "Disconnect one of your accounts in chats. It takes a session, or a token without limits.",
    path: "/api/users/chat_accounts/{id}",
    access: { ...self, verb: "write" },
    audits: { kind: "Delete", resource: { param: "id" } },
    params: z.object({ id: z.string().max(100) }),
    reply: { text: "A confirmation." },
    errors: ["chat.noAccount", "token.notForJobs", "token.tooWide", "engine.busy"],
  }),
};
