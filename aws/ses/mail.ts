import type { SESv2Client } from "@aws-sdk/client-sesv2";
import { env } from "../../contract/env.ts";
import { type Attempt, refusedAttempt, sentAttempt } from "../../core/deliveries/attempt.ts";
import type { Mail } from "../../ports/senders.ts";
import { countRequests } from "../sdk/request-counts.ts";

// Loaded with the first mail, because a deployment may have no sender.
const sdk = () => import("@aws-sdk/client-sesv2");
let cachedClient: Promise<SESv2Client> | undefined;
function ses(): Promise<SESv2Client> {
  cachedClient ??= sdk().then(({ SESv2Client }) => countRequests(new SESv2Client({})));
  return cachedClient;
}
const utf8 = (Data: string) => ({ Data, Charset: "UTF-8" });

export const mail = {
  /** Returns whether the deployment has a sender address. */
  hasSender: () => Boolean(process.env[env.mailFrom]),

  /** Sends one mail to one address. SES returns `tags` in its later events: letters, digits, '-' and '_'. */
  async sendEmail(to: string, text: { subject: string; text: string; html: string }, tags: Record<string, string>): Promise<Attempt> {
    const from = process.env[env.mailFrom];
    if (!from) return refusedAttempt("this deployment has no sender address: set mailFrom");
    const { SendEmailCommand, BadRequestException } = await sdk();
    const set = process.env[env.mailSet];
    try {
      await (await ses()).send(
        new SendEmailCommand({
          FromEmailAddress: from,
          Destination: { ToAddresses: [to] },
          Content: { Simple: { Subject: utf8(text.subject), Body: { Text: utf8(text.text), Html: utf8(text.html) } } },
          EmailTags: Object.entries(tags).map(([Name, Value]) => ({ Name, Value })),
          ...(set ? { ConfigurationSetName: set } : {}),
        }),
      );
      return sentAttempt;
    } catch (error) {
      if (error instanceof BadRequestException) return refusedAttempt("SES rejects this address");
      throw error;
    }
  },
} satisfies Mail;
