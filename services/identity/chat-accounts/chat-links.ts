import { defined } from "../../../contract/defined.ts";
import { SvcError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import type { ChatLinkJson } from "../../../contract/routes/people/chat-accounts.ts";
import { toIsoTime } from "../../../contract/utilities/iso-time.ts";
import {
  type ChatLink,
  chatAccountObject,
  chatLinkObject,
  createLinkText,
  isLinkOpen,
  splitLinkText,
  toChatAccountId,
} from "../../../core/chats/chat-account.ts";
import type { ChatUser } from "../../../core/chats/chat-call.ts";
import type { StoredObject } from "../../../core/objects/write.ts";
import type { Actor, Person } from "../../../core/people/actor.ts";
import type { Uses } from "../../uses.ts";
import { requireUnlimitedPerson } from "../tokens/tokens.ts";
import { personExists } from "../users.ts";

/**
 * Creates the link by which a person in a chat connects with a user, and returns its address. An earlier link of the person no longer works. The
 * secret is after the `#`, so that neither a server nor the preview of a chat receives it before a page sends it.
 */
export async function createChatLink(
  { objects, nowMs, baseUrl }: Uses<"objects" | "nowMs" | "baseUrl">,
  { vendor, team, id: user, name, app, account, address }: ChatUser,
  source: { workspace: string; resource: string },
): Promise<string> {
  const id = toChatAccountId({ vendor, team, id: user, app });
  const { text, hash } = createLinkText(id);
  const expiresAtMs = nowMs() + limits.chatLinkMs;
  const value: ChatLink = { vendor, team, user, name, ...defined({ account, address }), ...source, hash, expiresAtMs };
  // The hash is the version: a link that a newer one has replaced must not be used.
  await objects.put({ ...chatLinkObject.key(id), value, version: hash, expiresAtS: Math.ceil(expiresAtMs / 1000) });
  return `${baseUrl}/chat/link#${text}`;
}

/** Returns who asked for a link, for the user who decides whether to connect. Throws the same as `loadChatLink`. */
export async function findChatLink(deps: Uses<"objects" | "nowMs">, actor: Actor, text: string): Promise<ChatLinkJson> {
  const { id, link, person } = await loadChatLink(deps, actor, text);
  const { hash: _, account: __, expiresAtMs, ...shown } = link;
  const connected = await deps.objects.get(chatAccountObject.key(id));
  return {
    ...shown,
    expires_at: toIsoTime(expiresAtMs),
    email: person.email,
    replaces: connected !== undefined && chatAccountObject.parse(connected).email !== person.email,
  };
}

/** Loads a link that works, for the user who uses it. Throws `chat.linkGone`, `chat.otherPerson`, `token.notForJobs`, `token.tooWide`. */
export async function loadChatLink(
  deps: Uses<"objects" | "nowMs">,
  actor: Actor,
  text: string,
): Promise<{ id: string; link: ChatLink; stored: StoredObject; person: Person }> {
  const person = requireUnlimitedPerson(actor);
  const { id, secret } = splitLinkText(text);
  const stored = await deps.objects.get(chatLinkObject.key(id));
  const link = stored && chatLinkObject.parse(stored);
  if (!stored || !link || !isLinkOpen(link, secret, deps.nowMs())) throw new SvcError("chat.linkGone", {});
  const { address } = link;
  // A user who gets a forwarded link would lend their rights to the person who asked for it.
  if (address !== undefined && address.toLowerCase() !== person.email.toLowerCase() && (await personExists(deps, address)))
    throw new SvcError("chat.otherPerson", {});
  return { id, link, stored, person };
}
