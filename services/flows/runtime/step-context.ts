import type { FlowModule } from "../../../contract/flows/flow-value.ts";
import { FAILURE, type Progress } from "../../../core/flows/journal.ts";
import type { Scope } from "../../../core/flows/scopes.ts";
import type { StepState } from "../../../core/flows/step-call.ts";
import type { RunningJob } from "../../../core/jobs/record/job.ts";
import type { LoadedPlan } from "../definitions/load.ts";
import { computeStepJobId } from "./step-job-id.ts";

/** One module at one position in a running flow: all data of a step, without services. */
export interface StepContext {
  flow: RunningJob;
  plan: LoadedPlan;
  module: FlowModule;
  scope: Scope;
  /** The index of each loop around the module (core/flows/journal.ts). */
  path: string;
  state: StepState;
  progress: Progress;
  /** Secrets in values that this step has read. Values that it stores hide them from people. */
  secrets: Set<string>;
  /** The Map state of the loop limits how many iterations run at once, so that a round may contain more. */
  slides?: boolean;
  /** The machine can end this execution after parallel branches, so that another execution continues. */
  continues?: boolean;
  /** A segment runs the module, and also runs the lists inside it. */
  inSegment?: boolean;
}

export const isFailureModule = ({ module }: Pick<StepContext, "module">) => module.id === FAILURE;

/** The number of failed attempts of the module. */
export const countFailures = ({ progress }: Pick<StepContext, "progress">) => progress.failed?.length ?? 0;

/** The id of the job of one attempt of the module. It depends only on the position, so a repeated call finds the same job. */
export const attemptId = (step: StepContext, attempt = countFailures(step)) =>
  computeStepJobId(step.flow.id, step.module.id, step.scope.name, step.path, attempt);
