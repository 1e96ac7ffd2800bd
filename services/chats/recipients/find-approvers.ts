import pMap from "p-map";
import { limits } from "../../../contract/limits.ts";
import { identifyChatApp, toChatAccountId, userChatAccountObject } from "../../../core/chats/chat-account.ts";
import type { ChatCredential } from "../../../core/chats/chat-credential.ts";
import { personKey } from "../../../core/people/person.ts";
import type { VendorAnswer } from "../../../ports/chats.ts";
import type { Uses } from "../../uses.ts";

/** One message is left for the default channel. */
const MOST_DIRECT = limits.chatMessages - 1;
/** The number of approvers who are looked up concurrently. */
const AT_ONCE = 5;

/** `direct`: approvers with their ids in the chat. `others`: the addresses of those who are not known there. */
interface FoundApprovers {
  direct: { email: string; person: string }[];
  others: string[];
}

/**
 * Finds the approvers who get a direct message: those who have connected their account with the app of the resource, and, if the resource trusts
 * addresses, those whose confirmed address the vendor knows. Fails if that is unknown now, and a later attempt can help.
 */
export async function findApproversInChat(
  deps: Uses<"objects" | "chats">,
  credential: ChatCredential,
  emails: readonly string[],
): Promise<VendorAnswer<FoundApprovers>> {
  const lookUp = async (email: string) => ({ email, answer: await findPerson(deps, credential, email) });
  const answers = await pMap(emails.slice(0, MOST_DIRECT), lookUp, { concurrency: AT_ONCE });
  for (const { answer } of answers) if (!answer.ok && !answer.final) return answer;
  const direct = answers.flatMap(({ email, answer }) => (answer.ok && answer.value !== undefined ? [{ email, person: answer.value }] : []));
  const reached = new Set(direct.map(({ email }) => email));
  return { ok: true, value: { direct, others: emails.filter((email) => !reached.has(email)) } };
}

async function findPerson(
  { objects, chats }: Uses<"objects" | "chats">,
  credential: ChatCredential,
  email: string,
): Promise<VendorAnswer<string | undefined>> {
  const app = identifyChatApp(credential);
  const accounts = userChatAccountObject.parseReadable(await objects.list(userChatAccountObject.partitionKey(personKey(email))));
  // The id of an account contains the app, so the account of another app has another id.
  const account = accounts.find(({ id, vendor, team, user }) => id === toChatAccountId({ vendor, team, id: user, app }));
  if (account) return { ok: true, value: account.account ?? account.user };
  const trustsAddresses = "trust_email" in credential && credential.trust_email === true;
  return trustsAddresses ? chats.findPersonByEmail(credential, email) : { ok: true, value: undefined };
}
