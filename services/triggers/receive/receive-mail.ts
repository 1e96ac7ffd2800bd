import { limits } from "../../../contract/limits.ts";
import { countOutcome, reportFailure } from "../../../core/telemetry/telemetry.ts";
import { type MailNotification, type MailRefusal, parseRecipient, type Recipient, refuseByVerdict } from "../../../core/triggers/mail.ts";
import { buildLocalPart, mailboxObject } from "../../../core/triggers/trigger.ts";
import type { Uses } from "../../uses.ts";
import { loadTrigger } from "./load-trigger.ts";
import { parseMail, toMailMessage } from "./parse-mail.ts";
import { type LoadedTrigger, startTriggeredJob } from "./start-job.ts";

/**
 * Starts the jobs of a mail that SES has stored, one for each recipient with a trigger, and removes the mail. A mail that is refused is
 * counted, and starts nothing. A mail that is gone was received before. Throws as `startTriggeredJob` does.
 */
export async function receiveMail(
  deps: Uses<"jobs" | "objects" | "storage" | "queue" | "nowMs" | "mailDomain">,
  { mail: { messageId }, receipt }: MailNotification,
): Promise<string[]> {
  const { storage } = deps;
  const key = receipt.action.objectKey;
  const addressed = await findRecipients(deps, receipt.recipients);
  const refusal = refuseByVerdict(receipt) ?? (addressed.length === 0 ? "unknownAddress" : undefined);
  const outcome = refusal ?? (await startFromObject(deps, key, { messageId, addressed }));
  if (typeof outcome === "string") refuse(outcome, messageId);
  // The jobs have all their data. After a failure above, the mail remains for the next attempt.
  await storage.deleteObject(key);
  return typeof outcome === "string" ? [] : outcome;
}

interface Addressed {
  recipient: Recipient;
  address: string;
  loaded: LoadedTrigger;
}

async function startFromObject(
  deps: Uses<"jobs" | "objects" | "storage" | "queue" | "nowMs">,
  key: string,
  { messageId, addressed }: { messageId: string; addressed: Addressed[] },
): Promise<string[] | MailRefusal> {
  const object = await deps.storage.getObject(key, limits.mailBytes);
  if (!object) return [];
  if ("tooLarge" in object) return "tooLarge";
  const mail = await parseMail(object.bytes);
  if (typeof mail === "string") return mail;
  const ids: string[] = [];
  // Sequentially, because each one needs the attachments in memory.
  for (const { recipient, address, loaded } of addressed) {
    const { message, attached } = toMailMessage(`${messageId}/${address}`, { mail, raw: object.bytes }, recipient);
    ids.push(await startTriggeredJob(deps, loaded, message, attached));
  }
  return ids;
}

/** Returns the recipients that have a trigger which is not disabled. */
async function findRecipients(
  { objects, mailDomain = "" }: Uses<"objects" | "mailDomain">,
  recipients: readonly string[],
): Promise<Addressed[]> {
  const found = [...new Set(recipients.map((address) => address.toLowerCase()))].map(async (address): Promise<Addressed | undefined> => {
    const recipient = parseRecipient(recipients.find((each) => each.toLowerCase() === address) ?? address, mailDomain);
    const entry = recipient && (await objects.get(mailboxObject.key(recipient.localPart)));
    const ref = entry && mailboxObject.parse(entry);
    const loaded = ref && (await loadTrigger(objects, ref));
    if (!recipient || !loaded || loaded.trigger.mode === "disabled") return undefined;
    // An entry that outlived its trigger's address does not count.
    if (buildLocalPart(loaded.workspace, loaded.trigger.own) !== recipient.localPart) return undefined;
    return { recipient, address, loaded };
  });
  return (await Promise.all(found)).filter((one) => one !== undefined);
}

function refuse(reason: MailRefusal, messageId: string): void {
  countOutcome("MailsRefused");
  reportFailure("A mail was refused", new Error(reason), { reason, mail: messageId });
}
