import { type Answers, type Issues, listIssues, type NoDetails } from "./answer.ts";

/** Errors of approval requests and decisions. */
export interface ApprovalErrors {
  "approval.link": NoDetails;
  "approval.none": { id: string };
  "approval.several": { id: string; gates: string[] };
  "approval.decided": { outcome: string; at: string };
  "approval.used": { by: string; at: string };
  "approval.full": { limit: number };
  "approval.over": { id: string; state: string };
  "approval.person": NoDetails;
  "approval.refused": { reason: string };
  "approval.form": { issues: Issues };
  "approval.reasonRequired": { page?: string };
  "approval.notYet": NoDetails;
  "approval.noticeAgain": { seconds: number; retryAfterS: number };
  "approval.noticeOver": NoDetails;
  "chat.noResource": NoDetails;
  "chat.signature": NoDetails;
  "chat.noConversation": NoDetails;
  "chat.notPosted": { reason: string };
  "chat.linkGone": NoDetails;
  "chat.otherPerson": NoDetails;
  "chat.noAccount": NoDetails;
}

export const approvalAnswers: Answers<ApprovalErrors> = {
  "approval.link": { status: 404, describe: () => "This approval link is incomplete or invalid." },
  "approval.none": { status: 409, describe: ({ id }) => `The run ${id} is not waiting for approval.` },
  "approval.several": {
    status: 409,
    describe: ({ gates }) => `This run is waiting for several approvals. Send one of these ids as 'gate': ${gates.join(", ")}.`,
  },
  "approval.decided": { status: 409, describe: ({ outcome, at }) => `This request has already been decided: ${outcome}, at ${at}.` },
  "approval.used": {
    status: 409,
    describe: ({ by, at }) => `${by} already gave this approval at ${at}, with other values. Only the first approval counts.`,
  },
  "approval.full": { status: 409, describe: ({ limit }) => `This step already has ${limit} approvals, which is the maximum.` },
  "approval.over": { status: 409, describe: ({ id, state }) => `The run ${id} is ${state}, so there is nothing left to decide.` },
  "approval.person": { status: 401, describe: () => "Sign in to decide. This step requires an identified approver." },
  "approval.refused": { status: 403, describe: ({ reason }) => `You can't decide this request: ${reason}.` },
  "approval.form": { status: 422, describe: ({ issues }) => `Some values of the form are invalid. ${listIssues(issues)}.` },
  "approval.reasonRequired": {
    status: 422,
    describe: ({ page }) =>
      `A rejection of this request requires a reason. Send it as 'reason', or reject on the approval page${page ? `: ${page}` : "."}`,
  },
  "approval.notYet": {
    status: 409,
    describe: () =>
      "The step has not requested approval yet, and its result determines who may decide. Try again when the flow is waiting for approval.",
  },
  "approval.noticeAgain": {
    status: 429,
    describe: ({ seconds }) => `The approvers were notified less than ${seconds} seconds ago. Try again later.`,
  },
  "approval.noticeOver": {
    status: 409,
    describe: () => "The flow is no longer waiting for this approval, so there is no reminder to send.",
  },
  "chat.noResource": { status: 404, describe: () => "There is no resource of this chat application that can be used at this path." },
  "chat.signature": { status: 401, describe: () => "The request has no valid signature of the chat application." },
  "chat.noConversation": { status: 404, describe: () => "No bot of a resource that you may read is installed in this conversation." },
  "chat.notPosted": { status: 422, describe: ({ reason }) => `The message was not posted, because ${reason}.` },
  "chat.linkGone": {
    status: 404,
    describe: () => "This link was used, is older than ten minutes, or was replaced by a newer one. Press the button in the chat again.",
  },
  "chat.otherPerson": {
    status: 403,
    describe: () => "The address of this person in the chat belongs to another user. Only that user can connect them.",
  },
  "chat.noAccount": { status: 404, describe: () => "You have no such account in a chat." },
};
