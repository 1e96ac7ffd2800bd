import { randomUUID } from "node:crypto";
import { SvcError } from "../../../contract/errors.ts";
import { type ChatAccount, chatAccountObject, chatLinkObject } from "../../../core/chats/chat-account.ts";
import { type ObjectWrite, unchangedSince, write } from "../../../core/objects/write.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { personKey } from "../../../core/people/person.ts";
import { retryOnConflict } from "../../outbox/commit-parts.ts";
import type { Uses } from "../../uses.ts";
import { loadPerson } from "../users.ts";
import { keyOfUser } from "./chat-accounts.ts";
import { loadChatLink } from "./chat-links.ts";

/**
 * Connects the person in a chat who asked for a link with the caller, and returns the connected account. Another user whom it
 * was connected with loses it. The same transaction uses up the link. Throws `chat.linkGone`, `chat.otherPerson`, `token.notForJobs`, `token.tooWide`, `engine.busy`.
 */
export async function connectChatAccount(deps: Uses<"objects" | "nowMs">, actor: Actor, text: string): Promise<ChatAccount> {
  const { objects, nowMs } = deps;
  return retryOnConflict(
    async () => {
      const { id, link, stored } = await loadChatLink(deps, actor, text);
      const { hash: _, expiresAtMs: __, ...person } = link;
      const user = await loadPerson(deps, actor.email);
      const account: ChatAccount = { ...person, id, email: user.person.email, connectedAtMs: nowMs() };
      const earlier = await objects.get(chatAccountObject.key(id));
      const refused = await objects.transactWrite([
        write.remove(chatLinkObject.key(id), unchangedSince(stored)),
        // A user who is being deleted must not get an account after the others were deleted.
        write.check(user.stored, unchangedSince(user.stored)),
        ...(earlier ? buildIndexRemoval(chatAccountObject.parse(earlier), account.email) : []),
        write.put({ ...chatAccountObject.key(id), value: account, version: randomUUID() }, earlier ? unchangedSince(earlier) : "absent"),
        write.put({ ...keyOfUser(account), value: account }),
      ]);
      return refused === undefined ? { done: account } : undefined;
    },
    () => new SvcError("engine.busy", {}),
  );
}

/** The index item of the same user is replaced by the transaction, which can contain each item once. */
const buildIndexRemoval = (earlier: ChatAccount, email: string): ObjectWrite[] =>
  personKey(earlier.email) === personKey(email) ? [] : [write.remove(keyOfUser(earlier))];
