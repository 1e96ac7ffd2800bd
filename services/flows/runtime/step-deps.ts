import type { GateDeps } from "../../approvals/gates/change-gate.ts";
import type { RunJobDeps } from "../../execution/run-job.ts";
import type { FinishFlowDeps } from "../lifecycle/finish.ts";
import type { StartFlowDeps } from "../lifecycle/start.ts";

/** What running the tasks of a flow takes. `worker` names this process in the records of its jobs. */
export type StepDeps = RunJobDeps & GateDeps & StartFlowDeps & FinishFlowDeps & { worker: string };
