import type { Action } from "../../contract/access/access-rule.ts";
import { BEFORE_HEADER } from "../../contract/common.ts";
import { SvcError } from "../../contract/errors.ts";
import { approvalRoutes as routes } from "../../contract/routes/approvals/approvals.ts";
import type { Job } from "../../core/jobs/record/job.ts";
import { decideConsent } from "../../services/approvals/decisions/consent.ts";
import { resumeFlow } from "../../services/approvals/decisions/resume-flow.ts";
import { createResumeUrls } from "../../services/approvals/links/create-resume-urls.ts";
import { buildRunJson } from "../../services/approvals/page/build-run-json.ts";
import { listPendingApprovals } from "../../services/approvals/page/list-pending-approvals.ts";
import { on } from "../shared/edge/edge.ts";
import { json, text } from "../shared/reply/reply.ts";
import { type ApproveRoutes, type Auth, deps, requireActor } from "./deps.ts";
import { parsePayload } from "./links.ts";

async function createLinks(
  auth: Auth,
  action: Action,
  { workspace, id, resume_id: resumeId }: { workspace: string; id: string; resume_id: number },
  query: { approver?: string | undefined; flow_level?: boolean | undefined },
) {
  return createResumeUrls(
    deps,
    { actor: requireActor(auth), action },
    { workspace, id },
    {
      resumeId,
      approver: query.approver ?? "",
      forFlow: query.flow_level ?? false,
    },
  );
}

/** Throws `job.notFound`. The use case decides whether the caller may know that the run exists. */
function requireRun({ run }: Auth, id: string): Job {
  if (!run) throw new SvcError("job.notFound", { id });
  return run;
}

export const approvalRunRoutes: ApproveRoutes = [
  on(routes.resumeUrls, async ({ auth, params, query }) => {
    const { approvalPage, resume, cancel } = await createLinks(auth, routes.resumeUrls, params, query);
    return json(200, { approvalPage, resume, cancel });
  }),
  on(routes.jobSignature, async ({ auth, params, query }) =>
    text(200, (await createLinks(auth, routes.jobSignature, params, query)).signature),
  ),
  on(routes.resumeFlow, async ({ auth, params: { workspace, id }, readPayload }) => {
    const asker = { actor: requireActor(auth), action: routes.resumeFlow };
    const payload = await parsePayload(await readPayload());
    return text(201, await resumeFlow(deps, asker, { workspace, id }, { approved: true, payload }));
  }),
  on(routes.consent, async ({ auth, params: { run_id: id }, body }) =>
    json(200, await decideConsent(deps, requireActor(auth), requireRun(auth, id), body)),
  ),
  on(routes.run, async ({ auth, params: { run_id: id } }) =>
    json(200, await buildRunJson(deps, requireActor(auth), requireRun(auth, id)), { "Cache-Control": "no-store" }),
  ),
  on(routes.pendingApprovals, async ({ auth, params: { workspace }, query }) => {
    const { approvals, before } = await listPendingApprovals(deps, { actor: requireActor(auth), workspace }, query);
    return json(200, approvals, before === undefined ? {} : { [BEFORE_HEADER]: before });
  }),
];
