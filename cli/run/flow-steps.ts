import type { FlowStatus, ModuleStatus } from "../../contract/routes/flows/flow-status.ts";

/** A change of a flow's step, and the line that reports it. */
export interface StepEvent {
  step: string;
  type: "running" | "waiting" | "succeeded" | "skipped" | "failed";
  text: string;
}

type Entered = Exclude<ModuleStatus, { type: "WaitingForPriorSteps" | "WaitingForExecutor" }>;
const hasEntered = (status: ModuleStatus): status is Entered =>
  status.type !== "WaitingForPriorSteps" && status.type !== "WaitingForExecutor";

const listModules = ({ preprocessor_module: preprocessor, modules, failure_module: handler }: FlowStatus): ModuleStatus[] => [
  ...(preprocessor ? [preprocessor] : []),
  ...modules,
  handler,
];

function toEvent(status: Entered): StepEvent {
  const { id: step, type } = status;
  const event = (name: StepEvent["type"], text: string): StepEvent => ({ step, type: name, text: `${step}: ${text}` });
  switch (type) {
    case "InProgress":
      return event("running", describeProgress(status));
    case "WaitingForEvents":
      return event("waiting", `waits for approval (${status.count} more)`);
    case "Success":
      return status.skipped ? event("skipped", "skipped") : event("succeeded", "succeeded");
    case "Failure":
      return event("failed", "failed");
  }
}

function describeProgress({ iterator, branchall, branch_chosen: chosen }: Extract<ModuleStatus, { type: "InProgress" }>): string {
  if (iterator) return `running, iteration ${iterator.index + 1}${iterator.itered_len === undefined ? "" : ` of ${iterator.itered_len}`}`;
  if (branchall) return `running, branch ${branchall.branch + 1} of ${branchall.len}`;
  if (chosen) return chosen.type === "default" ? "running, default branch" : `running, branch ${(chosen.branch ?? 0) + 1}`;
  return "running";
}

/** Returns what has happened to the steps of a flow between two states, in the order of the steps. `before`: absent at the start. */
export function listStepEvents(before: FlowStatus | undefined, after: FlowStatus): StepEvent[] {
  const earlierTexts = new Set(
    before === undefined
      ? []
      : listModules(before)
          .filter(hasEntered)
          .map((status) => toEvent(status).text),
  );
  return listModules(after)
    .filter(hasEntered)
    .map(toEvent)
    .filter(({ text }) => !earlierTexts.has(text));
}

/**
 * Returns the jobs of the steps that have started, with the id of the step: the jobs of iterations and branches, otherwise the job of the step
 * itself.
 */
export function listStepJobs(status: FlowStatus): Map<string, string> {
  const jobs = listModules(status).flatMap((module): [string, string][] => {
    if (module.type === "WaitingForPriorSteps" || module.type === "WaitingForEvents") return [];
    const inside = "flow_jobs" in module ? module.flow_jobs : undefined;
    return (inside ?? [module.job]).map((job) => [job, module.id]);
  });
  return new Map(jobs);
}
