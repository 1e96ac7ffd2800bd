import type { Job } from "../../../core/jobs/job.ts";
import type { SentLink } from "../decisions/decide.ts";
import type { GateDeps } from "../gates/change-gate.ts";
import { findApprovalRequest, findApprovalRequestInFlow, rulesOf } from "../gates/find-approval-request.ts";
import { type LinkDeps, levelOfLink } from "../links/links.ts";

/**
 * The flow that a link's holder may look at without signing in; `undefined` where the link is none of ours, leads to another flow, or who decides there
 * must sign in. Throws what `askedBy` throws.
 */
export async function flowSeenBy(viewing: GateDeps & LinkDeps, link: SentLink, flow: string): Promise<Job | undefined> {
  const level = await levelOfLink(viewing, link.signature, link);
  if (level === undefined) return undefined;
  const { workspace, id } = link;
  const asked = await (level === "step"
    ? findApprovalRequest(viewing, workspace, id)
    : findApprovalRequestInFlow(viewing, workspace, id, { own: true }));
  return asked.flow.id === flow && !rulesOf(asked).signedIn ? asked.flow : undefined;
}
