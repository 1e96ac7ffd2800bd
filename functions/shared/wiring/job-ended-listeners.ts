import type { JobEndedListener } from "../../../services/execution/endings/end-and-notify.ts";
import type { EndFlowDeps } from "../../../services/flows/lifecycle/end-flow.ts";
import { continueParkedFlow } from "../../../services/flows/lifecycle/reconcile.ts";
import { resumeParentTask } from "../../../services/flows/runtime/waiting/resume-parent-task.ts";
import { releaseSlot } from "../../../services/jobs/concurrency/concurrency.ts";

/** Connects the end of a job with the flows and jobs that wait for it. Every function that ends jobs uses this list. */
export const jobEndedListeners = (deps: EndFlowDeps): JobEndedListener[] => [
  (ended) => resumeParentTask(deps, ended),
  (ended) => releaseSlot(deps, ended),
  // Called after the slot is released, because the flow may need it at once.
  (ended) => continueParkedFlow(deps, ended),
];
