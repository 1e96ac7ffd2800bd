import type { ApprovalErrors } from "../errors/approvals.ts";

/** An error of approvals with its details. `contract/errors/approvals.ts` contains its status and its sentence. */
type ApprovalError = {
  [Code in keyof ApprovalErrors]: { readonly code: Code; readonly details: ApprovalErrors[Code] };
}[keyof ApprovalErrors];

interface Refusal {
  /** The error of a decision by this caller. */
  readonly error: ApprovalError;
  /** The text of the approval page. */
  readonly page: string;
}

/**
 * Why a caller may not decide a request. The names are the values of `refused` in the data of the approval page. After `sign_in`, the caller may
 * be allowed to decide once signed in.
 */
export const refusals = {
  sign_in: {
    error: { code: "approval.person", details: {} },
    page: "Sign in to decide. This step requires an identified approver.",
  },
  self: {
    error: { code: "approval.refused", details: { reason: "you started this run" } },
    page: "You started this run, so you can't approve it. Another approver must decide.",
  },
  not_approver: {
    error: { code: "approval.refused", details: { reason: "you are not one of its approvers" } },
    page: "You are not an approver of this request.",
  },
  job_token: {
    error: { code: "approval.refused", details: { reason: "a person must decide, and a job's token does not identify one" } },
    page: "A person must decide this request. A job can't.",
  },
} as const satisfies Record<string, Refusal>;

export type RefusalName = keyof typeof refusals;
export const refusalNames = Object.keys(refusals) as RefusalName[];
