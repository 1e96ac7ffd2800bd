import { isSvcError } from "../../../contract/errors.ts";
import type { Job } from "../../../core/jobs/record/job.ts";
import type { Uses } from "../../uses.ts";
import type { LinkReference } from "../decisions/decide.ts";
import { getApprovalRules } from "../gates/find-approval-request.ts";
import { findRequestByLink } from "./show-approval.ts";

export type ApprovalPageDeps = Uses<"gatedFlows" | "jobs" | "objects" | "storage" | "linkKeys" | "nowMs" | "baseUrl">;

/**
 * Returns the flow that the holder of a link may read without signing in. Returns `undefined` where the link is not valid, leads to another flow,
 * or where approvers must sign in.
 */
export async function flowForLinkHolder(deps: ApprovalPageDeps, link: LinkReference, flow: string): Promise<Job | undefined> {
  try {
    const request = await findRequestByLink(deps, link);
    return request.flow.id === flow && !getApprovalRules(request).signedIn ? request.flow : undefined;
  } catch (error) {
    if (isSvcError(error) && error.code.startsWith("approval.")) return undefined;
    throw error;
  }
}
