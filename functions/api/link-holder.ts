import { linkKeys } from "../../aws/kms/data-keys.ts";
import { isSvcError } from "../../contract/errors.ts";
import type { Route } from "../../contract/route.ts";
import { jobRoutes as routes } from "../../contract/routes/jobs/jobs.ts";
import { parseViewToken } from "../../core/approvals/link.ts";
import type { Job } from "../../core/jobs/job.ts";
import { collaborators as c } from "./collaborators.ts";

type Query = Readonly<Record<string, string | undefined>>;

/** What a link to an approval lets its holder read without a token of their own: the flow's job, and its result. */
export async function seenByLink(
  route: Route,
  { workspace = "", id = "" }: Record<string, string>,
  query: Query,
): Promise<Job | undefined> {
  const link = linkIn(route, query);
  if (!link) return undefined;
  // Loaded with the first link that somebody holds.
  const { flowSeenBy } = await import("../../services/approvals/page/flow-for-link-holder.ts");
  try {
    return await flowSeenBy({ ...c, linkKeys }, { ...link, workspace }, id);
  } catch (error) {
    if (isSvcError(error) && error.code.startsWith("approval.")) return undefined;
    throw error;
  }
}

/** As one token, or its parts one by one. */
function linkIn({ name }: Route, query: Query): ReturnType<typeof parseViewToken> {
  if (name === routes.getResult.name) {
    const { suspended_job: id, resume_id: resumeId, secret: signature, approver = "" } = query;
    return id && resumeId && signature ? { id, resumeId: Number(resumeId), signature, approver } : undefined;
  }
  return name === routes.getJob.name ? parseViewToken(query["approval_token"] ?? "") : undefined;
}
