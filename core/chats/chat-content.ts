import { limits } from "../../contract/limits.ts";
import { UNNAMED_APPROVER } from "../approvals/gate.ts";
import { approvalPageUrl, shortenText } from "../notifications/event.ts";
import type { GateNotice } from "../notifications/notice.ts";
import { beginnings, formatTime, listPeople, toName, toSafeText } from "../notifications/text.ts";
import { RUN_OVER, type ShownDecision } from "./chat-call.ts";
import type { ChatButtons } from "./chat-message.ts";

const MOST_INPUTS = 20;

/**
 * The content of a message, which each vendor's code renders. The texts come from users and are not escaped: a vendor must show them as they are, without mentions
 * and without links under other names.
 */
export interface ChatContent {
  /** One line for notifications and screen readers. */
  title: string;
  paragraphs: string[];
  /** Absent: the message has no buttons. */
  actions?: ChatActions;
}

/** The buttons of a message. */
export interface ChatActions {
  /** The text of `toReference`, which the buttons that decide contain. */
  reference: string;
  /** The labels of the buttons. Without a label, there is no button to reject. */
  approve: string;
  reject?: string;
  /** The address of the approval page. */
  page: string;
}

function describeRequest({
  what,
  step,
  flowPath,
  flowSummary,
  requestedBy,
  workspace,
  required,
  people,
  deadlineMs,
  ...notice
}: GateNotice): { title: string; paragraphs: string[] } {
  const title = `${beginnings[what]}: ${toName(step)} (${toName(flowPath ?? "a flow")})`;
  const texts = [notice.message, notice.description].flatMap((text) =>
    text ? [shortenText(toSafeText(text), limits.noticeTextChars)] : [],
  );
  const inputs = (notice.inputs ?? []).slice(0, MOST_INPUTS).map(({ name, value }) => `${toName(name)}: ${toSafeText(value)}`);
  return {
    title,
    paragraphs: [
      title,
      [
        `${toName(requestedBy)} started the run in workspace ${workspace}.`,
        ...(flowSummary ? [`The flow: ${toName(flowSummary)}`] : []),
        ...(people.length > 0 ? [`Approvers: ${listPeople(people)}.`] : []),
        ...(required > 1 ? [`It needs ${required} approvals.`] : []),
        ...(deadlineMs === undefined ? [] : [`The request expires at ${formatTime(deadlineMs)}.`]),
      ].join("\n"),
      ...texts,
      ...(inputs.length > 0 ? [inputs.join("\n")] : []),
    ],
  };
}

/** Builds the message that asks for a decision. Its buttons contain a reference, and its link opens the page: no address in it decides. */
export function buildRequestContent(
  baseUrl: string,
  notice: GateNotice,
  reference: string,
  { approve = "Approve", reject = "Reject", hidesReject }: ChatButtons,
  approvals?: CountedApprovals,
): ChatContent {
  const { title, paragraphs } = describeRequest(notice);
  return {
    title,
    paragraphs: [...paragraphs, ...(approvals ? [describeApprovals(notice, approvals)] : [])],
    actions: {
      reference,
      approve: toName(approve),
      ...(hidesReject ? {} : { reject: toName(reject) }),
      page: approvalPageUrl(baseUrl, notice),
    },
  };
}

/** The number of approvals so far, and the name of the last approver. */
interface CountedApprovals {
  count: number;
  by?: string | undefined;
}

const describeApprovals = ({ required }: GateNotice, { count, by = UNNAMED_APPROVER }: CountedApprovals) =>
  `${count} of ${required} approvals. The last one is by ${toName(by)}.`;

/** Builds the answer in the thread of a request that waits. */
export function buildReminderContent(notice: GateNotice): ChatContent {
  const text = `${describeRequest(notice).title}. The request above is waiting for a decision.`;
  return { title: text, paragraphs: [text] };
}

/** Returns the outcome of a request as one sentence, with its reason on the next line. */
export function describeDecision({ how, by, reason, atMs }: ShownDecision): string {
  if (how === RUN_OVER) return "The run has ended without a decision.";
  const at = formatTime(atMs);
  if (how === "expired") return `No decision was made before ${at}.`;
  const who = by === undefined ? UNNAMED_APPROVER : toName(by);
  const verb = how === "approved" ? "Approved" : "Rejected";
  return `${verb} by ${who} at ${at}.${reason ? `\n${shortenText(toSafeText(reason), limits.noticeTextChars)}` : ""}`;
}

/** Builds the message of a decided request, without buttons. */
export function buildDecidedContent(notice: GateNotice, decision: ShownDecision): ChatContent {
  const { title, paragraphs } = describeRequest(notice);
  const outcome = describeDecision(decision);
  return { title: `${title}. ${outcome}`, paragraphs: [...paragraphs, outcome] };
}
