import { describeSizeProblem } from "../../../core/flows/history/history-events.ts";
import type { MachineAnswer, MachineRequest } from "../../../core/flows/version.ts";
import type { StateMachines } from "../../../ports/executions.ts";
import { buildFlowMachine } from "../../../statemachines/flow-machine.ts";
import { buildMachineTags } from "../../../statemachines/machine-name.ts";
import type { Uses } from "../../uses.ts";
import { validateMachine } from "./validate-machine.ts";

/** Creates the flow's state machine if it does not exist, and returns its name or the reason for which it cannot exist. */
export async function makeMachine(
  {
    stateMachines,
    stepFunction: step,
    machineRole: role,
    stack,
  }: Uses<"stepFunction" | "machineRole" | "stack"> & { stateMachines: Pick<StateMachines, "createStateMachine"> },
  { workspace, path, value }: MachineRequest,
): Promise<MachineAnswer> {
  const large = describeSizeProblem(value);
  if (large) return { refused: large };
  const { name, spare, definition: machine } = buildFlowMachine(value, { step, stack, workspace, path });
  const definition = JSON.stringify(machine);
  const tags = { ...buildMachineTags(stack, workspace), "svc:path": path };
  const refused = await validateMachine(name, definition);
  if (refused) return { refused };
  const outcomes: string[] = [];
  for (const each of [name, spare]) {
    const creation = await stateMachines.createStateMachine(each, definition, role, tags);
    if (creation === "made") return { machine: each };
    if (typeof creation !== "string") return creation;
    outcomes.push(creation);
  }
  if (!outcomes.includes("leaving")) {
    return {
      refused: `The state machines ${name} and ${spare} have another definition. Delete them in Step Functions, then save the flow again.`,
    };
  }
  throw new Error(`The state machines ${name} and ${spare} are being deleted.`);
}
