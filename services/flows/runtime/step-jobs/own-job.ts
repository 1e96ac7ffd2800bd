import type { Gate } from "../../../../core/approvals/gate.ts";
import type { Job } from "../../../../core/jobs/record/job.ts";
import { attemptId, countFailures, type StepContext } from "../step-context.ts";

/** A record with the id of a step's job or gate was not created by the step's flow. The flow cannot use it and fails. */
export class ForeignStepJob extends Error {
  override readonly name = "ForeignStepJob";
}

/**
 * Returns the job of an attempt of a step, found by the id that is derived from the step's position. Throws `ForeignStepJob` if the flow did not
 * create the job for this position: its result would otherwise become that of the step.
 */
export function requireOwnJob<J extends Job>(step: StepContext, job: J, attempt = countFailures(step)): J {
  const { flow, module, scope, path } = step;
  const { id, workspace, root, parent, step: position } = job;
  // Only the flow sets `step`. The id proves the attempt, because it is derived from the position and the number of the attempt.
  const isOwn =
    id === attemptId(step, attempt) &&
    workspace === flow.workspace &&
    parent === flow.id &&
    root === (flow.root ?? flow.id) &&
    position?.id === module.id &&
    position.scope === scope.name &&
    position.path === path;
  if (isOwn) return job;
  throw new ForeignStepJob(
    `The job ${id} exists, but this flow did not create it, so the step ${module.id} cannot use it. Run the flow again.`,
  );
}

/** The job of a step was canceled directly: the flow is canceled with it, for the same reason. */
export class StepJobCanceled extends Error {
  override readonly name = "StepJobCanceled";
  readonly cancel: { by: string; reason: string };

  constructor(job: Job, cancel: { by: string; reason: string }) {
    super(`The job ${job.id} of the step ${job.step?.id ?? ""} was canceled.`);
    this.cancel = cancel;
  }
}

/** Returns the gate that was found at a step's position. Throws `ForeignStepJob` if it belongs to another position. */
export function requireOwnGate(step: StepContext, gate: Gate): Gate {
  const { flow, module, scope, path } = step;
  const isOwn =
    gate.workspace === flow.workspace &&
    gate.flow === flow.id &&
    gate.module === module.id &&
    gate.scope === scope.name &&
    gate.path === path;
  if (isOwn) return gate;
  throw new ForeignStepJob(`The gate ${gate.id} belongs to another step, so the step ${module.id} cannot use it. Run the flow again.`);
}
