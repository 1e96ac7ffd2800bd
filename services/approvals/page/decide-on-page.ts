import { isSvcError } from "../../../contract/errors.ts";
import { type DecideDeps, type DecisionInput, decideByLink, decideRequest } from "../decisions/decide.ts";
import { buildApproverSource, maySeeRun } from "../decisions/visibility.ts";
import { invalidLinkError } from "../gates/find-approval-request.ts";
import { type ApprovalPage, findRequestForPerson, hideStateFromStrangers } from "./show-approval.ts";

/**
 * Decides on the approval page, with its link or as a signed-in person, and returns one sentence for the approver. A person who may neither
 * decide nor see the run does not learn that it exists. Throws the `approval.*` errors.
 */
export async function decideOnPage(deps: DecideDeps, page: ApprovalPage, input: DecisionInput): Promise<string> {
  const { link, actor } = page;
  if (link) return decideByLink(deps, link, actor, () => input);
  const request = await hideStateFromStrangers(deps, page, () => findRequestForPerson(deps, page));
  try {
    return await decideRequest(deps, request, buildApproverSource(actor, request), input);
  } catch (error) {
    const isUnauthorized = isSvcError(error) && ["approval.refused", "approval.notYet"].includes(error.code);
    if (isUnauthorized && !maySeeRun(actor, request.flow)) throw invalidLinkError();
    throw error;
  }
}
