import { SvcError } from "../../contract/errors.ts";
import { approvalRoutes as routes } from "../../contract/routes/approvals/approvals.ts";
import type { Job } from "../../core/jobs/job.ts";
import { approverFrom } from "../../services/approvals/decisions/approver.ts";
import { consentTo, theirGates } from "../../services/approvals/decisions/consent.ts";
import { decideAt, type From } from "../../services/approvals/decisions/decide.ts";
import { findApprovalRequestInFlow } from "../../services/approvals/gates/find-approval-request.ts";
import { createResumeUrls } from "../../services/approvals/links/create-resume-urls.ts";
import { pendingFor } from "../../services/approvals/page/pending.ts";
import { runJson } from "../../services/approvals/page/run.ts";
import { findJob, visibleTo } from "../../services/jobs/read/read.ts";
import { on } from "../shared/edge.ts";
import { json, text } from "../shared/reply.ts";
import { type ApproveRoutes, type Auth, actorOf, collaborators as c } from "./collaborators.ts";
import { bodyPayload } from "./links.ts";
import { mayStop } from "./page.ts";

async function minted(
  auth: Auth,
  action: string,
  { workspace, id, resume_id: resumeId }: { workspace: string; id: string; resume_id: number },
  query: { approver?: string | undefined; flow_level?: boolean | undefined },
) {
  return createResumeUrls(c, { actor: actorOf(auth), action }, workspace, id, {
    resumeId,
    approver: query.approver ?? "",
    forFlow: query.flow_level ?? false,
  });
}

/** Throws `job.notFound`. Who may know of it is asked with its gates. */
function runOf({ run }: Auth, id: string): Job {
  if (!run) throw new SvcError("job.notFound", { id });
  return run;
}

export const runs: ApproveRoutes = [
  on(routes.resumeUrls, async ({ auth, params, query }) => {
    const { approvalPage, resume, cancel } = await minted(auth, routes.resumeUrls.name, params, query);
    return json(200, { approvalPage, resume, cancel });
  }),
  on(routes.jobSignature, async ({ auth, params, query }) =>
    text(200, (await minted(auth, routes.jobSignature.name, params, query)).signature),
  ),
  on(routes.resumeFlow, async ({ auth, params: { workspace, id }, payload }) => {
    const actor = actorOf(auth);
    const flow = await findJob(c, { actor, action: routes.resumeFlow.name }, workspace, id);
    const asked = await findApprovalRequestInFlow(c, workspace, id, { known: flow });
    const from: From = { who: approverFrom(actor, workspace), way: { link: false, mayStop: true } };
    return text(201, await decideAt(c, asked, from, { approved: true, payload: await bodyPayload(payload) }));
  }),
  on(routes.consent, async ({ auth, params: { run_id: id }, body }) => {
    const actor = actorOf(auth);
    const job = runOf(auth, id);
    return json(200, await consentTo(c, actor, job, body, visibleTo({ actor, action: routes.run.name })(job)));
  }),
  on(routes.run, async ({ auth, params: { run_id: id } }) => {
    const actor = actorOf(auth);
    const job = runOf(auth, id);
    const visible = (action: string) => visibleTo({ actor, action })(job);
    const seeing = { whole: visible(routes.run.name), mints: visible(routes.resumeUrls.name), isTheirs: theirGates(actor, job) };
    const run = await runJson(c, job, seeing);
    if (!run) throw new SvcError("job.notFound", { id });
    return json(200, run, { "Cache-Control": "no-store" });
  }),
  on(routes.pendingApprovals, async ({ auth, params: { workspace } }) => {
    const actor = actorOf(auth);
    return json(200, await pendingFor(c, actor, workspace, (flow) => mayStop(actor, flow)));
  }),
];
