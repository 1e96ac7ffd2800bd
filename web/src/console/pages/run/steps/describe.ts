import { durationText } from "../../../../shared/time/time.ts";
import { runText } from "../../../messages/run.ts";
import { type Step, timesOf } from "./outline.ts";

const text = runText.steps;

/** Returns the facts of a step besides its state: times, attempts, contents, marks and approvals. */
export function describeStep(step: Step, nowMs: number): string[] {
  const { queuedMs, ranMs } = timesOf(step, nowMs);
  const { children, failed_children, failed_children_partial: isPartial, of: iterations, kind } = step;
  const isLoop = iterations !== undefined && kind !== "iteration";
  return [
    ...(queuedMs !== undefined && queuedMs >= 1000 ? [text.queued(durationText(queuedMs))] : []),
    ...(ranMs === undefined ? [] : [text.ran(durationText(ranMs))]),
    ...(step.attempts > 1 ? [text.attempts(step.attempts)] : []),
    ...(isLoop ? [text.iterations(children ?? 0, iterations)] : []),
    ...(failed_children ? [isPartial ? text.failedAtLeast(failed_children) : text.failedInside(failed_children)] : []),
    ...(step.cached ? [text.cached] : []),
    ...(step.mocked ? [text.mocked] : []),
    ...(step.approval ? [text.approval[step.approval.state], ...step.approval.approvers.map(text.by)] : []),
  ];
}
