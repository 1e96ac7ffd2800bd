import { SvcError } from "../../../contract/errors.ts";
import type { Gate, OpenedGate } from "../../../core/approvals/gate.ts";
import type { LinkSubject } from "../../../core/approvals/link.ts";
import { isFlowJob, type Job } from "../../../core/jobs/record/job.ts";
import { findJob, type JobAddress, type JobCaller } from "../../jobs/read/read.ts";
import type { Uses } from "../../uses.ts";
import { loadGate } from "../gates/change-gate.ts";
import { createLink } from "./links.ts";

export interface ResumeUrlTarget {
  resumeId: number;
  approver: string;
  /** The link is for the next step of the flow that requests approval. */
  forFlow: boolean;
}

/** Creates the links of an open gate: one for each required approval, numbered from 1, and one that rejects. */
export async function createGateLinks(
  deps: Uses<"objects" | "linkKeys" | "nowMs" | "baseUrl">,
  { id, workspace, opened }: Gate & { opened: OpenedGate },
) {
  const gateLinks = await Promise.all(
    Array.from({ length: opened.rules.required }, (_, index) =>
      createLink(deps, { workspace, id, resumeId: index + 1, approver: "", level: "step" }),
    ),
  );
  const { cancel = "", approvalPage = "" } = gateLinks[0] ?? {};
  return { resume: gateLinks.map(({ resume }) => resume), cancel, approvalPage };
}

/**
 * Creates a link for a step, by the id of its job or gate, or for a flow. A flow's job gets a link for the flow, or for the step of the parent flow
 * that it is. Throws `job.notFound` and `approval.none`.
 */
export async function createResumeUrls(
  deps: Uses<"jobs" | "objects" | "linkKeys" | "nowMs" | "baseUrl">,
  caller: JobCaller,
  { workspace, id }: JobAddress,
  target: ResumeUrlTarget,
) {
  const { resumeId, approver, forFlow } = target;
  const link = (level: LinkSubject["level"], of: string | undefined) => {
    if (of === undefined) throw new SvcError("approval.none", { id });
    return createLink(deps, { workspace, id: of, resumeId, approver, level });
  };
  // Loops, branches and gates have no jobs, so the flow's job determines who may create links.
  const job = await deps.jobs.get(id);
  const gate = job ? undefined : await loadGate(deps, id);
  const request: Job = await findJob(deps, caller, { workspace, id: gate?.flow ?? id }, () => new SvcError("job.notFound", { id }));
  if (gate) return forFlow ? link("flow", gate.flow) : link("step", id);
  if (forFlow || !request.step) return link("flow", isFlowJob(request) ? id : request.step && request.parent);
  return link("step", id);
}
