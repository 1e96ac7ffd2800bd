import * as z from "zod";

const messages = z.array(
  z.object({
    To: z.array(z.string()),
    Source: z.string(),
    Subject: z.string(),
    BodyText: z.string().nullish(),
    BodyHtml: z.string().nullish(),
    Timestamp: z.number(),
  }),
);
/** By account: the engine has one. */
const mailboxSchema = z.object({ messages: z.record(z.string(), messages) });

export interface SentMail {
  atMs: number;
  from: string;
  to: string[];
  subject: string;
  text: string;
  html: string;
}

/** The mail that the engine received, oldest first. It does not leave the machine. */
export async function readMail(endpoint: string): Promise<SentMail[]> {
  const answer = await fetch(`${endpoint}/_ministack/ses/messages`);
  if (!answer.ok) throw new Error(`The engine did not return its mail: ${answer.status} ${await answer.text()}`);
  const all = Object.values(mailboxSchema.parse(await answer.json()).messages).flat();
  return all
    .map(({ Timestamp, Source, To, Subject, BodyText, BodyHtml }) => ({
      atMs: Timestamp * 1000,
      from: Source,
      to: To,
      subject: Subject,
      text: BodyText ?? "",
      html: BodyHtml ?? "",
    }))
    .sort((a, b) => a.atMs - b.atMs);
}
