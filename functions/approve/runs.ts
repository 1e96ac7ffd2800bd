import { SvcError } from "../../contract/errors.ts";
import { approvalRoutes as routes } from "../../contract/routes/approvals.ts";
import { authorize } from "../../core/approvals/authorize.ts";
import { type Gate, isOpen } from "../../core/approvals/gate.ts";
import type { Actor } from "../../core/people/actor.ts";
import { decideAt, decideGate, type From } from "../../services/approvals/decide.ts";
import { askedBy, askedIn, starterOf } from "../../services/approvals/find.ts";
import { gatesOfRun } from "../../services/approvals/gates.ts";
import { mint } from "../../services/approvals/mint.ts";
import { pendingFor } from "../../services/approvals/pending.ts";
import { runJson } from "../../services/approvals/runs.ts";
import { deciderOf } from "../../services/approvals/who.ts";
import { findJob, visibleTo } from "../../services/jobs/read.ts";
import { on } from "../shared/edge.ts";
import { json, text } from "../shared/reply.ts";
import { type ApproveRoutes, type Auth, collaborators as c } from "./collaborators.ts";
import { bodyPayload } from "./links.ts";
import { mayStop } from "./page.ts";

/** Routes with `auth: "token"` are reached with an actor alone. */
export function actorOf({ actor }: Auth): Actor {
  if (!actor) throw new SvcError("auth.missing", {});
  return actor;
}

/** The job that a link is wanted for: of a job's own token any of its run. */
async function minted(
  auth: Auth,
  action: string,
  { workspace, id, resume_id: resumeId }: { workspace: string; id: string; resume_id: number },
  query: { approver?: string | undefined; flow_level?: boolean | undefined },
) {
  return mint(c, { actor: actorOf(auth), action }, workspace, id, {
    resumeId,
    approver: query.approver ?? "",
    forFlow: query.flow_level ?? false,
  });
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
    const asked = await askedIn(c, workspace, flow.id);
    const from: From = { actor, who: await deciderOf(c, actor, workspace), way: { link: false, mayStop: true } };
    return text(201, await decideAt(c, asked, from, { approved: true, payload: await bodyPayload(payload) }));
  }),
  on(routes.consent, async ({ auth, params: { run_id: id }, body }) => {
    const actor = actorOf(auth);
    const job = await c.jobs.get(id);
    const notThere = new SvcError("job.notFound", { id });
    if (!job) throw notThere;
    const who = await deciderOf(c, actor, job.workspace);
    const gates = (await gatesOfRun(c, job.root ?? job.id))
      .filter(({ flow }) => job.root === undefined || flow === job.id)
      .filter(({ opened }) => opened?.kind === "consent")
      .filter((gate) => body.gate === undefined || [gate.id, gate.module].includes(body.gate));
    const verdictOf = (gate: (typeof gates)[number]) =>
      authorize({ rules: gate.opened?.rules ?? NOBODY, starter: starterOf(job) }, who, { link: false, mayStop: false });
    const sees = visibleTo({ actor, action: routes.run.name })(job);
    if (!sees && !gates.some((gate) => verdictOf(gate) === "yes")) throw notThere;
    const open = gates.filter(isOpen);
    const mine = open.filter((gate) => verdictOf(gate) === "yes");
    if (mine.length > 1) throw new SvcError("approval.several", { id, gates: mine.map(({ module }) => module) });
    // Refused where none is theirs; told what was decided where none waits.
    const gate = mine[0] ?? open[0] ?? gates.at(-1);
    if (!gate) throw new SvcError("approval.none", { id });
    const asked = await askedBy(c, job.workspace, gate.id);
    const approved = body.decision === "approved";
    const from: From = { actor, who, way: { link: false, mayStop: false } };
    const { gate: after } = await decideGate(c, asked, from, { approved, ...(body.reason ? { reason: body.reason } : {}) });
    const goesOn = approved || asked.module.continue_on_error === true;
    return json(200, {
      run_id: id,
      state: goesOn ? "running" : "failed",
      decision: body.decision,
      approver: actor.username,
      reason: after.decision?.reason ?? body.reason ?? null,
    });
  }),
  on(routes.run, async ({ auth, params: { run_id: id } }) => {
    const actor = actorOf(auth);
    const job = await c.jobs.get(id);
    if (!job) throw new SvcError("job.notFound", { id });
    const who = await deciderOf(c, actor, job.workspace);
    const visible = (action: string) => visibleTo({ actor, action })(job);
    const isTheirs = ({ opened }: Gate) =>
      opened !== undefined && authorize({ rules: opened.rules, starter: starterOf(job) }, who, { link: false, mayStop: false }) === "yes";
    const run = await runJson(c, job, { whole: visible(routes.run.name), isTheirs, mints: visible(routes.resumeUrls.name) });
    if (!run) throw new SvcError("job.notFound", { id });
    return json(200, run, { "Cache-Control": "no-store" });
  }),
  on(routes.pendingApprovals, async ({ auth, params: { workspace } }) => {
    const actor = actorOf(auth);
    return json(200, await pendingFor(c, actor, workspace, (flow) => mayStop(actor, flow)));
  }),
];
const NOBODY = { required: 1, people: [], signedIn: true, notStarter: false, personOnly: true };
