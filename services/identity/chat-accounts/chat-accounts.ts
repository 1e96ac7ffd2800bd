import { SvcError } from "../../../contract/errors.ts";
import type { ChatAccountJson } from "../../../contract/routes/people/chat-accounts.ts";
import { toIsoTime } from "../../../contract/utilities/iso-time.ts";
import { type ChatAccount, chatAccountObject, toChatAccountId, userChatAccountObject } from "../../../core/chats/chat-account.ts";
import type { ChatUser } from "../../../core/chats/chat-call.ts";
import { unchangedSince, write } from "../../../core/objects/write.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { personKey } from "../../../core/people/person.ts";
import { retryOnConflict } from "../../outbox/commit-parts.ts";
import type { Uses } from "../../uses.ts";
import { requireUnlimitedPerson } from "../tokens/tokens.ts";

const busy = () => new SvcError("engine.busy", {});
/** Returns the key of an account in the list of its user. */
export const keyOfUser = ({ email, id }: Pick<ChatAccount, "email" | "id">) => userChatAccountObject.key(personKey(email), id);

/** Lists the caller's accounts in chats, the newest first. */
export async function listChatAccounts({ objects }: Uses<"objects">, { email }: Actor): Promise<ChatAccountJson[]> {
  const accounts = userChatAccountObject.parseReadable(await objects.list(userChatAccountObject.partitionKey(personKey(email))));
  return accounts
    .sort((a, b) => b.connectedAtMs - a.connectedAtMs)
    .map(({ email: _, account: __, connectedAtMs, ...account }) => ({ ...account, connected_at: toIsoTime(connectedAtMs) }));
}

/** Disconnects an account of the caller. The next click there does not count as the caller's. Throws `chat.noAccount`, `token.notForJobs`, `token.tooWide`, `engine.busy`. */
export async function disconnectChatAccount(deps: Uses<"objects">, actor: Actor, id: string): Promise<void> {
  const { email } = requireUnlimitedPerson(actor);
  await retryOnConflict(async () => {
    if (!(await deps.objects.get(keyOfUser({ email, id })))) throw new SvcError("chat.noAccount", {});
    return (await removeAccount(deps, email, id)) ? { done: undefined } : undefined;
  }, busy);
}

/** Returns whether the account of a user is gone. If another user has it now, only the entry in the list of the first one is deleted. */
async function removeAccount({ objects }: Uses<"objects">, email: string, id: string): Promise<boolean> {
  const stored = await objects.get(chatAccountObject.key(id));
  const isOwn = stored !== undefined && personKey(chatAccountObject.parse(stored).email) === personKey(email);
  const refused = await objects.transactWrite([
    write.remove(keyOfUser({ email, id })),
    ...(isOwn ? [write.remove(stored, unchangedSince(stored))] : []),
  ]);
  return refused === undefined;
}

/** Deletes every account of a user in chats. Repeating it continues where an earlier call stopped. */
export async function deleteAllChatAccounts(deps: Uses<"objects">, email: string): Promise<void> {
  for (const { sk: id } of await deps.objects.list(userChatAccountObject.partitionKey(personKey(email))))
    await retryOnConflict(async () => ((await removeAccount(deps, email, id)) ? { done: undefined } : undefined), busy);
}

/**
 * Returns the address of the user as whom a person in a chat decides: the connected one, or else the one whose address the resource trusts. The
 * clicks of guests, strangers and bots never count as those of a user.
 */
export async function findUserOfChat(
  { objects }: Uses<"objects">,
  user: ChatUser,
): Promise<{ email?: string | undefined; isConnected: boolean }> {
  if (!user.isMember) return { isConnected: false };
  const stored = await objects.get(chatAccountObject.key(toChatAccountId(user)));
  return stored ? { email: chatAccountObject.parse(stored).email, isConnected: true } : { email: user.email, isConnected: false };
}
