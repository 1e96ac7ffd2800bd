import PostalMime, { type Attachment, decodeWords, type Email } from "postal-mime";
import { defined } from "../../../contract/defined.ts";
import { limits } from "../../../contract/limits.ts";
import type { FormFile } from "../../../core/payload/multipart.ts";
import { hasTooManyParts, type MailRefusal, type Recipient } from "../../../core/triggers/mail.ts";
import type { AttachedFiles } from "./start-job.ts";

const RAW = "raw";
const nameOf = (index: number) => `attachment${index}`;

/** Parses a raw mail. Returns a refusal for one that has too many parts or cannot be parsed. */
export async function parseMail(raw: Uint8Array): Promise<Email | MailRefusal> {
  if (hasTooManyParts(raw)) return "tooManyParts";
  try {
    const mail = await PostalMime.parse(raw, { attachmentEncoding: "arraybuffer", maxNestingDepth: 100, maxHeadersSize: 512 * 1024 });
    return mail.attachments.length > limits.mailAttachments ? "tooManyParts" : mail;
  } catch {
    // The parser refuses parts that are nested too deeply, and headers that are too long.
    return "unreadable";
  }
}

/** Returns the message of a mail for one recipient, with its attachments as files. A raw mail that is too large for an argument is a file too. */
export function toMailMessage(
  id: string,
  { mail, raw }: { mail: Email; raw: Buffer },
  { extraArgs }: Recipient,
): { message: ReturnType<AttachedFiles["place"]>; attached: AttachedFiles | undefined } {
  const isLarge = raw.length > limits.mailTextBytes;
  const files: FormFile[] = [
    ...mail.attachments.map((attachment, index) => toFile(nameOf(index), attachment)),
    ...(isLarge ? [{ argument: RAW, filename: "raw.eml", contentType: "message/rfc822", bytes: raw }] : []),
  ];
  const build: AttachedFiles["place"] = (stored) => {
    const args = {
      raw_email: isLarge ? (stored[RAW]?.[0] ?? null) : raw.toString("utf8"),
      parsed_email: {
        headers: readHeaders(mail),
        text_body: truncate(mail.text),
        html_body: truncate(mail.html),
        date: mail.date ?? null,
        attachments: mail.attachments.map((attachment, index) => ({
          headers: attachmentHeaders(attachment),
          body: stored[nameOf(index)]?.[0] ?? null,
        })),
      },
      ...defined({ email_extra_args: extraArgs }),
    };
    return { id, args, event: args };
  };
  return { message: build({}), attached: files.length === 0 ? undefined : { files, place: build } };
}

/** The decoded headers, under the names in the mail. A header that occurs twice is a list. */
function readHeaders({ headers }: Email): Record<string, string | string[]> {
  const byName = Map.groupBy(headers, ({ originalKey }) => originalKey);
  return Object.fromEntries(
    [...byName].map(([name, all]) => {
      const values = all.map(({ value }) => decodeWords(value));
      return [name, values.length === 1 ? (values[0] ?? "") : values];
    }),
  );
}

function attachmentHeaders({ mimeType, disposition, filename, contentId }: Attachment): Record<string, string> {
  return {
    "Content-Type": mimeType,
    ...(disposition ? { "Content-Disposition": disposition } : {}),
    ...(contentId ? { "Content-ID": contentId } : {}),
    ...(filename ? { filename: toFileName(filename) } : {}),
  };
}

const toFileName = (name: string) => name.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, "").slice(0, 255) || "file";
/** A type that S3 accepts as the content type of an object. */
const isContentType = (type: string) => /^[A-Za-z0-9!#$&^_.+-]{1,100}\/[A-Za-z0-9!#$&^_.+-]{1,100}$/.test(type);

function toFile(argument: string, { filename, mimeType, content }: Attachment): FormFile {
  const bytes = typeof content === "string" ? Buffer.from(content) : Buffer.from(content as ArrayBuffer);
  return {
    argument,
    filename: toFileName(filename ?? ""),
    contentType: isContentType(mimeType) ? mimeType : "application/octet-stream",
    bytes,
  };
}

/** The whole text is in the raw mail. */
function truncate(text: string | undefined): string | null {
  if (text === undefined) return null;
  return text.length <= limits.mailTextBytes ? text : text.slice(0, limits.mailTextBytes).toWellFormed();
}
