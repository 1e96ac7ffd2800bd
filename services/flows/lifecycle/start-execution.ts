import { STATE_VERSION, type StepState } from "../../../core/flows/step-call.ts";
import type { Job } from "../../../core/jobs/record/job.ts";
import type { Uses } from "../../uses.ts";
import { loadPlan } from "../definitions/load.ts";

/** Starts the current execution of a flow's job, unless it exists, and creates the state machine if it is missing. */
export async function startExecution(deps: Uses<"jobs" | "storage" | "executions" | "functions">, job: Job): Promise<void> {
  const { executions, functions, jobs } = deps;
  const { id, workspace, flow } = job;
  if (!flow?.plan) throw new Error(`The flow job ${id} has no plan.`);
  const { execution, stateMachine } = flow;
  const input: StepState = { version: STATE_VERSION, workspace, job: id, execution, events: 0, path: "", outcome: "" };
  if (stateMachine) {
    const started = await executions.startExecution({ machine: stateMachine, job: id, execution }, input);
    if (started === "started") return;
  }
  // A restarted flow may have no machine yet, and housekeeping deletes machines that are idle.
  const { value } = await loadPlan(deps, flow.plan);
  const creation = await functions.createStateMachine({ workspace, path: job.path ?? "preview", value });
  if (!("machine" in creation)) throw new Error(creation.refused);
  const { machine } = creation;
  const changed = await jobs.update(
    id,
    { flow: { ...flow, stateMachine: machine } },
    {
      and: [
        { attr: "state", eq: "running" },
        { attr: "flow.execution", eq: execution },
      ],
    },
  );
  const started = changed && (await executions.startExecution({ machine, job: id, execution }, input));
  if (started === "noMachine") throw new Error(`State machine ${machine} of flow job ${id} was deleted again; housekeeping retries.`);
}
