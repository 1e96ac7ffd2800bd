import type { Payload } from "../../../contract/payload.ts";
import { isApprovalGet } from "../../../core/approvals/link-preview.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { isApprovalByGetEnabled } from "../links/approval-by-get.ts";
import { type DecideDeps, type DecisionInput, decideByLink, type LinkReference } from "./decide.ts";

/** The request in which a link was followed. */
interface LinkVisit {
  link: LinkReference;
  actor: Actor | undefined;
  headers: Payload["headers"];
}

/**
 * Decides where a `GET` of a link counts as a decision, and returns a sentence for its sender. Returns `undefined` for a browser, a link preview
 * or a scanner: they get the page, which decides nothing by itself. `said` is read only if the request counts. Throws the `approval.*` errors.
 */
export async function decideByGet(
  deps: DecideDeps,
  { link, actor, headers }: LinkVisit,
  said: () => DecisionInput,
): Promise<string | undefined> {
  if (!(await isApprovalGet(headers, () => isApprovalByGetEnabled(deps, link.workspace)))) return undefined;
  return decideByLink(deps, link, actor, said());
}
