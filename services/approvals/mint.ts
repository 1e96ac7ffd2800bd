import { SvcError } from "../../contract/errors.ts";
import type { Linked } from "../../core/approvals/link.ts";
import type { Job } from "../../core/jobs/job.ts";
import { type Linking, linkFor } from "./links.ts";

export interface Wanted {
  resumeId: number;
  approver: string;
  /** For whichever step of the flow asks next. */
  forFlow: boolean;
}

/** A link for a step, by its job, or for its flow. A flow's own job has links for the flow, or as a step of another one. Throws `approval.none`. */
export async function mint(linking: Linking, job: Job, { resumeId, approver, forFlow }: Wanted) {
  const level: Linked["level"] = forFlow || !job.step ? "flow" : "step";
  const id = level === "step" || job.flow ? job.id : job.step && job.parent;
  if (id === undefined) throw new SvcError("approval.none", { id: job.id });
  return linkFor(linking, { workspace: job.workspace, id, resumeId, approver, level });
}
