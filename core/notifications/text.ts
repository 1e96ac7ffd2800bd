import { limits } from "../../contract/limits.ts";
import { toIsoTime } from "../../contract/utilities/iso-time.ts";
import { UNNAMED_APPROVER } from "../approvals/gate.ts";
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
const VALUE_CHARS = 300;

/** A user-defined name on one line: a line break would begin another header or another sentence. */
const oneLine = (text: string, chars: number) => shortenText(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim(), chars);

/** Also removes characters that change the text direction, so that a name cannot rewrite the sentence around it. */
const plain = (text: string) => text.replace(/[\u202a-\u202e\u2066-\u2069]/g, "");
/** Returns a name of users as one line of readable length. */
export const toName = (text: string) => oneLine(plain(text), NAME_CHARS);

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character] ?? character);

/** Formats a time (epoch ms) as `2026-11-22 08:30 UTC`, because the reader's time zone is unknown. */
export const formatTime = (ms: number) => `${toIsoTime(ms).slice(0, 16).replace("T", " ")} UTC`;

/**
 * Removes links that decide from a text of users: a reader of the mail would decide by opening one. A match begins at the start of its word, so
 * that no word is searched twice.
 */
const withoutDecidingLinks = (text: string) => text.replace(/(?<!\S)\S*\/jobs_u\/(?:resume|cancel)\/\S*/g, "(link removed)");
/** Returns a text of users without links that decide, and without characters that change its direction. */
export const toSafeText = (text: string) => withoutDecidingLinks(plain(text));

export const beginnings: Readonly<Record<GateNotice["what"], string>> = {
  opened: "Approval needed",
  reminded: "Reminder: approval needed",
  escalated: "Escalated: approval needed",
  counted: "Approval counted",
  decided: "Decided",
  expired: "No decision was made in time",
  ended: "The run has ended without a decision",
};

/** Builds the mail to an approver. It contains one link to the approval page, and opening the page does not decide. */
export function buildMail(baseUrl: string, notice: GateNotice): MailText {
  const { what, step, flowPath, flowSummary, requestedBy, required, deadlineMs, workspace, people, inputs = [] } = notice;
  const where = toName(flowPath ?? "a flow");
  const page = approvalPageUrl(baseUrl, notice);
  const lines = [
    `${toName(requestedBy)} started ${where} in workspace ${workspace}. It is waiting for ${required > 1 ? `${required} approvals` : "approval"} at the step "${toName(step)}".`,
    ...(flowSummary ? [`The flow: ${toName(flowSummary)}`] : []),
    ...(people.length === 0 ? [] : [`Approvers: ${listPeople(people)}.`]),
    ...(deadlineMs === undefined ? [] : [`This request expires at ${formatTime(deadlineMs)}.`]),
  ];
  const shown = notice.message || notice.description;
  const message = shown ? shortenText(toSafeText(shown), limits.noticeTextChars) : undefined;
  const values = inputs.map((input) => ({ name: toName(input.name), value: oneLine(toSafeText(input.value), VALUE_CHARS) }));
  const why =
    "You receive this email because you are an approver. Opening the link does not approve or reject the request. You decide on the page.";
  return {
    subject: oneLine(plain(`${beginnings[what]}: ${step} (${flowPath ?? "a flow"})`), SUBJECT_CHARS),
    ...buildTexts({ lines, message, values, page: { label: "Review and decide", url: page }, footer: why }),
  };
}

const MAX_PEOPLE = 10;

/** Lists approvers as a part of a sentence. */
export function listPeople(people: readonly string[]): string {
  const shown = people
    .slice(0, MAX_PEOPLE)
    .map((principal) => toName(principal === "role:admin" ? "the admins of the workspace" : principal));
  return people.length > MAX_PEOPLE ? `${shown.join(", ")} and ${people.length - MAX_PEOPLE} more` : shown.join(", ");
}

/** Lists approvers in words, such as `members of finance and ann`. */
export function listApprovers(people: readonly string[]): string {
  const names = people.slice(0, MAX_PEOPLE).map((principal) => {
    if (principal === "role:admin") return "admins of the workspace";
    const group = principal.startsWith("g/");
    return toName(group ? `members of ${principal.slice(2)}` : principal.replace(/^u\//, ""));
  });
  const more = people.length > MAX_PEOPLE ? [`${people.length - MAX_PEOPLE} more`] : [];
  return new Intl.ListFormat("en", { type: "conjunction" }).format([...names, ...more]);
}

const outcomes: Readonly<Record<string, { subject: string; verb: string }>> = {
  approved: { subject: "Approved", verb: "approved" },
  rejected: { subject: "Rejected", verb: "rejected" },
};

/** Builds the mail about the outcome of a request to the person who started the run. */
export function buildOutcomeMail(baseUrl: string, notice: GateNotice): MailText {
  const { step, flowPath, workspace, decision, deadlineMs, atMs } = notice;
  const outcome = outcomes[decision?.how ?? ""];
  const where = `the step "${toName(step)}" of ${toName(flowPath ?? "a flow")}`;
  const run = `You started this run in workspace ${workspace}.`;
  const line = outcome
    ? `${toName(decision?.by ?? UNNAMED_APPROVER)} ${outcome.verb} ${where}. ${run}`
    : `No decision about ${where} was made before ${formatTime(deadlineMs ?? atMs)}. ${run}`;
  const reason = decision?.reason ? shortenText(toSafeText(decision.reason), limits.noticeTextChars) : undefined;
  return {
    subject: oneLine(plain(`${outcome?.subject ?? beginnings.expired}: ${step} (${flowPath ?? "a flow"})`), SUBJECT_CHARS),
    ...buildTexts({
      lines: [upperFirst(line)],
      message: reason,
      page: { label: "See the request", url: approvalPageUrl(baseUrl, notice) },
      footer: "You receive this email because you started the run.",
    }),
  };
}

const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Builds a mail that concerns no gate. */
export function buildPlainMail(baseUrl: string, { subject, lines, page }: Pick<MailNotice, "subject" | "lines" | "page">): MailText {
  return {
    subject: oneLine(plain(subject), SUBJECT_CHARS),
    ...buildTexts({
      lines: lines.map((line) => oneLine(plain(line), limits.noticeTextChars)),
      page: page === undefined ? undefined : { label: "Open", url: `${baseUrl}${page}` },
      footer: `You receive this email from ${baseUrl}.`,
    }),
  };
}

interface MailParts {
  lines: string[];
  /** A text of users, which may have several lines. */
  message?: string | undefined;
  /** Values with their names, one per line. */
  values?: readonly { name: string; value: string }[];
  page?: { label: string; url: string } | undefined;
  footer: string;
}

function buildTexts({ lines, message, values = [], page, footer }: MailParts): Pick<MailText, "text" | "html"> {
  const quoted = message === undefined ? [] : [message];
  const pages = page === undefined ? [] : [page];
  return {
    text: [
      ...lines,
      ...quoted.flatMap((text) => ["", text]),
      ...(values.length === 0 ? [] : ["", ...values.map((each) => `${each.name}: ${each.value}`)]),
      ...pages.flatMap(({ label, url }) => ["", `${label}:`, url]),
      "",
      footer,
      "",
    ].join("\n"),
    html: [
      '<!doctype html><html lang="en"><body style="font-family:sans-serif;line-height:1.5">',
      ...lines.map((line) => `<p>${escaped(line)}</p>`),
      ...quoted.map((text) => `<p style="white-space:pre-wrap;border-left:3px solid #ccc;padding-left:1em">${escaped(text)}</p>`),
      ...(values.length === 0 ? [] : [`<table>${values.map(toRow).join("")}</table>`]),
      ...pages.map(({ label, url }) => `<p><a href="${escaped(url)}">${escaped(label)}</a></p>`),
      `<p style="color:#666;font-size:smaller">${escaped(footer)}${pages.map(({ url }) => `<br>${escaped(url)}`).join("")}</p>`,
      "</body></html>",
    ].join("\n"),
  };
}

const toRow = ({ name: title, value }: { name: string; value: string }) =>
  `<tr><th align="left">${escaped(title)}</th><td>${escaped(value)}</td></tr>`;
