import { linkKeys } from "../../aws/kms/data-keys.ts";
import type { Route } from "../../contract/route.ts";
import { jobRoutes as routes } from "../../contract/routes/jobs/jobs.ts";
import { runDetailRoutes } from "../../contract/routes/jobs/run-details.ts";
import { parseViewToken, type SignedLink } from "../../core/approvals/link.ts";
import type { Job } from "../../core/jobs/record/job.ts";
import { deps } from "./deps.ts";

type Query = Readonly<Record<string, string | undefined>>;

/** Returns the flow's job that an approval link lets its holder read without a token, on the routes of the job and of its result. */
export async function findJobByLink(
  route: Route,
  { workspace = "", id = "" }: Record<string, string>,
  query: Query,
): Promise<Job | undefined> {
  const link = parseLink(route, query);
  if (!link) return undefined;
  // Loaded on first use, with the first call that carries a link.
  const [{ flowForLinkHolder }, { connectGatedFlows }] = await Promise.all([
    import("../../services/approvals/page/flow-for-link-holder.ts"),
    import("../../services/flows/runtime/waiting/gated-flows.ts"),
  ]);
  return flowForLinkHolder({ ...deps, linkKeys, gatedFlows: connectGatedFlows(deps) }, { ...link, workspace }, id);
}

/** The link is sent as one token, or as its parts. */
function parseLink({ name }: Route, query: Query): SignedLink | undefined {
  if (name === routes.getResult.name) {
    const { suspended_job: id, resume_id: resumeId, secret: signature, approver = "" } = query;
    return id && resumeId && signature ? { id, resumeId: Number(resumeId), signature, approver } : undefined;
  }
  return name === routes.getJob.name || name === runDetailRoutes.getFlowOutline.name
    ? parseViewToken(query["approval_token"] ?? "")
    : undefined;
}
