import { durationText } from "../../../../shared/time/time.ts";
import { runText } from "../../../messages/run.ts";
import { type Step, timesOf } from "./outline.ts";

const text = runText.steps;

/** Returns the facts of a step besides its state: times, attempts, contents, marks and approvals. */
export function describeStep(step: Step, nowMs: number): string[] {
  const { queuedMs, ranMs, waitedMs } = timesOf(step, nowMs);
  return [
    ...(queuedMs !== undefined && queuedMs >= 1000 ? [text.queued(durationText(queuedMs))] : []),
    ...(ranMs === undefined ? [] : [text.ran(durationText(ranMs))]),
    ...(waitedMs === undefined ? [] : [text.waited(durationText(waitedMs))]),
    ...describeMarks(step),
    ...(step.approval ? describeApproval(step.approval) : []),
  ];
}

/** Returns the facts of a step for which its box in a graph has space. */
export const describeBriefly = (step: Step): string[] => [
  ...describeMarks(step),
  ...(step.approval ? [text.approval[step.approval.state]] : []),
];

function describeMarks(step: Step): string[] {
  return [
    ...(step.attempts > 1 ? [text.attempts(step.attempts)] : []),
    ...describeInside(step),
    ...(step.cached ? [text.cached] : []),
    ...(step.mocked ? [text.mocked] : []),
  ];
}

/** Returns the numbers of the iterations of a loop, and of the lists inside a step that failed. */
function describeInside({ children = 0, failed_children, failed_children_partial: isPartial, of: iterations, kind }: Step): string[] {
  return [
    ...(iterations !== undefined && kind !== "iteration" ? [text.iterations(children, iterations)] : []),
    ...(failed_children ? [isPartial ? text.failedAtLeast(failed_children) : text.failedInside(failed_children)] : []),
  ];
}

type Approval = NonNullable<Step["approval"]>;

/** Longer lists of approvers are cut. */
const MOST_NAMED = 5;

function describeApproval({ state, approvers, missing, may_decide: rules }: Approval): string[] {
  return [
    text.approval[state],
    ...approvers.map(state === "open" ? text.approvedBy : text.by),
    ...(missing === undefined ? [] : [text.missing(missing)]),
    ...(rules ? [text.mayDecide(describeDeciders(rules)), ...(rules.self_approval_disabled ? [text.notStarter] : [])] : []),
  ];
}

function describeDeciders({ people, user_auth_required: signsIn }: NonNullable<Approval["may_decide"]>): string {
  if (!people) return signsIn ? text.signedInHolders : text.holders;
  const names = people.slice(0, MOST_NAMED).map(describePrincipal);
  return [...names, ...(people.length > MOST_NAMED ? [text.otherDeciders(people.length - MOST_NAMED)] : [])].join(", ");
}

function describePrincipal(principal: string): string {
  if (principal === "role:admin") return text.administrators;
  if (principal.startsWith("g/")) return text.group(principal.slice(2));
  return principal.startsWith("u/") ? principal.slice(2) : principal;
}
