import type { Payload } from "../../../contract/payload.ts";
import { isApprovalGet } from "../../../core/approvals/link-preview.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { isApprovalByGetEnabled } from "../links/approval-by-get.ts";
import { type DecideDeps, type DecisionInput, decideByLink, type LinkReference } from "./decide.ts";

/** The request that followed a link. */
interface LinkVisit {
  link: LinkReference;
  actor: Actor | undefined;
  headers: Payload["headers"];
}

/**
 * Decides if the `GET` request of a link counts as a decision, and returns one sentence for the sender. Returns `undefined` for a browser,
 * a link preview or a scanner: they get the page, which decides nothing by itself. `readInput` is called only if the request counts and the link is valid.
 * Throws the `approval.*` errors and those of `readInput`.
 */
export async function decideByGet(
  deps: DecideDeps,
  { link, actor, headers }: LinkVisit,
  readInput: () => DecisionInput,
): Promise<string | undefined> {
  if (!(await isApprovalGet(headers, () => isApprovalByGetEnabled(deps, link.workspace)))) return undefined;
  return decideByLink(deps, link, actor, readInput);
}
