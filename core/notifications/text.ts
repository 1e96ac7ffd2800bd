import { limits } from "../../contract/limits.ts";
import { approvalPageUrl, shortenText } from "./event.ts";
import type { MailNotice } from "./mail-notice.ts";
import type { GateNotice } from "./notice.ts";

export interface MailText {
  subject: string;
  text: string;
  html: string;
}

const SUBJECT_CHARS = 120;
const NAME_CHARS = 200;

/** A user-defined name on one line: a line break would begin another header or another sentence. */
const oneLine = (text: string, chars: number) => shortenText(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim(), chars);

/** Also removes characters that change the text direction, so that a name cannot rewrite the sentence around it. */
const plain = (text: string) => text.replace(/[\u202a-\u202e\u2066-\u2069]/g, "");
const name = (text: string) => oneLine(plain(text), NAME_CHARS);

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character] ?? character);

/** Formats a time as `2026-11-22 08:30 UTC`, because the reader's time zone is unknown. */
const at = (ms: number) => `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;

const beginnings: Readonly<Record<GateNotice["what"], string>> = {
  opened: "Approval needed",
  reminded: "Reminder: approval needed",
  escalated: "Escalated: approval needed",
  decided: "Decided",
  expired: "No decision was made in time",
};

/** Builds the mail to an approver. It contains one link to the approval page, and opening the page does not decide. */
export function buildMail(baseUrl: string, notice: GateNotice): MailText {
  const { what, step, flowPath, requestedBy, required, deadlineMs, workspace } = notice;
  const where = name(flowPath ?? "a flow");
  const page = approvalPageUrl(baseUrl, notice);
  const lines = [
    `${name(requestedBy)} started ${where} in workspace ${workspace}. It is waiting for ${required > 1 ? `${required} approvals` : "approval"} at the step "${name(step)}".`,
    ...(deadlineMs === undefined ? [] : [`This request expires at ${at(deadlineMs)}.`]),
  ];
  const message = notice.message === undefined ? undefined : shortenText(plain(notice.message), limits.noticeTextChars);
  const why =
    "You receive this email because you are an approver. Opening the link does not approve or reject the request. You decide on the page.";
  return {
    subject: oneLine(plain(`${beginnings[what]}: ${step} (${flowPath ?? "a flow"})`), SUBJECT_CHARS),
    ...buildTexts({ lines, message, page: { label: "Review and decide", url: page }, footer: why }),
  };
}

/** Builds a mail that concerns no gate. */
export function buildPlainMail(baseUrl: string, { subject, lines, page }: Pick<MailNotice, "subject" | "lines" | "page">): MailText {
  return {
    subject: oneLine(plain(subject), SUBJECT_CHARS),
    ...buildTexts({
      lines: lines.map((line) => oneLine(plain(line), limits.noticeTextChars)),
      ...(page === undefined ? {} : { page: { label: "Open", url: `${baseUrl}${page}` } }),
      footer: `You receive this email from ${baseUrl}.`,
    }),
  };
}

interface MailParts {
  lines: string[];
  /** A text of users, which may have several lines. */
  message?: string | undefined;
  page?: { label: string; url: string };
  footer: string;
}

function buildTexts({ lines, message, page, footer }: MailParts): Pick<MailText, "text" | "html"> {
  const quoted = message === undefined ? [] : [message];
  const pages = page === undefined ? [] : [page];
  return {
    text: [
      ...lines,
      ...quoted.flatMap((text) => ["", text]),
      ...pages.flatMap(({ label, url }) => ["", `${label}:`, url]),
      "",
      footer,
      "",
    ].join("\n"),
    html: [
      '<!doctype html><html lang="en"><body style="font-family:sans-serif;line-height:1.5">',
      ...lines.map((line) => `<p>${escaped(line)}</p>`),
      ...quoted.map((text) => `<p style="white-space:pre-wrap;border-left:3px solid #ccc;padding-left:1em">${escaped(text)}</p>`),
      ...pages.map(({ label, url }) => `<p><a href="${escaped(url)}">${escaped(label)}</a></p>`),
      `<p style="color:#666;font-size:smaller">${escaped(footer)}${pages.map(({ url }) => `<br>${escaped(url)}`).join("")}</p>`,
      "</body></html>",
    ].join("\n"),
  };
}
