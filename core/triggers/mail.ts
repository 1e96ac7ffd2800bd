import * as z from "zod";
import { limits } from "../../contract/limits.ts";

/**
 * Addresses that authorities of certificates, mail systems and people use for the owner of a domain (RFC 2142, CA/Browser Forum Baseline
 * Requirements 3.2.2.4.4). A workspace that received their mail could prove that it owns the domain.
 */
export const RESERVED_LOCAL_PARTS: ReadonlySet<string> = new Set([
  ...["abuse", "admin", "administrator", "hostmaster", "info", "mailer-daemon", "mis", "noc", "postmaster", "root", "security"],
  ...["ssladmin", "ssladministrator", "sslwebmaster", "sysadmin", "webmaster", "www"],
]);

const verdict = z.object({ status: z.string() }).optional();

/** The notification of SES about a mail that it has stored in the bucket (Amazon SES Developer Guide, "Contents of notifications"). */
export const mailNotificationSchema = z.object({
  notificationType: z.literal("Received"),
  mail: z.object({ messageId: z.string().regex(/^[A-Za-z0-9_-]{1,200}$/) }),
  receipt: z.object({
    recipients: z.array(z.string()).min(1),
    spamVerdict: verdict,
    virusVerdict: verdict,
    action: z.object({ type: z.literal("S3"), objectKey: z.string().regex(/^mail\/[A-Za-z0-9_-]{1,200}$/) }),
  }),
});
export type MailNotification = z.infer<typeof mailNotificationSchema>;

/** The reason for refusing a mail. Each reason is counted. */
export type MailRefusal = "spam" | "virus" | "tooLarge" | "tooManyParts" | "unreadable" | "unknownAddress";

/**
 * Returns the reason for which the verdicts of SES refuse a mail. Only the notification of SES counts, because the sender of a mail chooses the
 * headers.
 */
export function refuseByVerdict({ spamVerdict, virusVerdict }: MailNotification["receipt"]): MailRefusal | undefined {
  if (virusVerdict?.status === "FAIL") return "virus";
  return spamVerdict?.status === "FAIL" ? "spam" : undefined;
}

/** The address of a recipient in the domain of the deployment. */
export interface Recipient {
  localPart: string;
  /** The parameters that a sender appends to the address: `orders+color=red@…`. */
  extraArgs: Record<string, string> | undefined;
}

/** Returns the part of an address before `@`, if it is one of the domain. Extra parts after `+` are parameters. */
export function parseRecipient(address: string, mailDomain: string): Recipient | undefined {
  const at = address.lastIndexOf("@");
  if (address.slice(at + 1).toLowerCase() !== mailDomain.toLowerCase()) return undefined;
  const [localPart = "", ...extras] = address.slice(0, at).split("+");
  const pairs = extras.map((extra) => {
    const split = extra.indexOf("=");
    return split === -1 ? ([extra, ""] as const) : ([extra.slice(0, split), extra.slice(split + 1)] as const);
  });
  return { localPart: localPart.toLowerCase(), extraArgs: pairs.length === 0 ? undefined : Object.fromEntries(pairs) };
}

/**
 * Returns whether a raw mail has more parts than the maximum. Each part begins with a line of its boundary, so lines that begin with `--` are
 * counted before the mail is parsed.
 */
export function hasTooManyParts(raw: Uint8Array, most: number = limits.mailParts): boolean {
  const [newline, dash] = [10, 45];
  let lines = 0;
  for (let at = raw.indexOf(newline); at !== -1; at = raw.indexOf(newline, at + 1)) {
    if (raw[at + 1] !== dash || raw[at + 2] !== dash) continue;
    lines += 1;
    if (lines > most) return true;
  }
  return false;
}
