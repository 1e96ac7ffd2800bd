import { SvcError } from "../../../contract/errors.ts";
import type { Gate, OpenedGate } from "../../../core/approvals/gate.ts";
import type { LinkSubject } from "../../../core/approvals/link.ts";
import { isFlowJob, type Job } from "../../../core/jobs/job.ts";
import { findJob, type JobCaller } from "../../jobs/read/read.ts";
import { type GateDeps, loadGate } from "../gates/change-gate.ts";
import { createLink, type LinkDeps } from "./links.ts";

export interface ResumeUrlTarget {
  resumeId: number;
  approver: string;
  /** For whichever step of the flow asks next. */
  forFlow: boolean;
}

/** The links that a gate has from the moment it opens: one for each approval that it wants, numbered from 1, and one that rejects. */
export async function createGateLinks(deps: LinkDeps, { id, workspace, opened }: Gate & { opened: OpenedGate }) {
  const made = await Promise.all(
    Array.from({ length: opened.rules.required }, (_, index) =>
      createLink(deps, { workspace, id, resumeId: index + 1, approver: "", level: "step" }),
    ),
  );
  const { cancel = "", approvalPage = "" } = made[0] ?? {};
  return { resume: made.map(({ resume }) => resume), cancel, approvalPage };
}

/**
 * A link for a step, by the id of its job or its gate, or for the flow. A flow's own job has links for the flow, or as a step of another one. Throws
 * `job.notFound` and `approval.none`.
 */
export async function createResumeUrls(
  deps: Pick<GateDeps, "jobs"> & LinkDeps,
  asker: JobCaller,
  workspace: string,
  id: string,
  wanted: ResumeUrlTarget,
) {
  const { resumeId, approver, forFlow } = wanted;
  const link = (level: LinkSubject["level"], of: string | undefined) => {
    if (of === undefined) throw new SvcError("approval.none", { id });
    return createLink(deps, { workspace, id: of, resumeId, approver, level });
  };
  // Loops, branches and gates have no jobs of their own: their flow's job says who may.
  const job = await deps.jobs.get(id);
  const gate = job ? undefined : await loadGate(deps, id);
  const asked: Job = await findJob(deps, asker, workspace, gate?.flow ?? id, () => new SvcError("job.notFound", { id }));
  if (gate) return forFlow ? link("flow", gate.flow) : link("step", id);
  if (forFlow || !asked.step) return link("flow", isFlowJob(asked) ? id : asked.step && asked.parent);
  return link("step", id);
}
