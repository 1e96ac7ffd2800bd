import { SvcError } from "../../../contract/errors.ts";
import { storedFlowValueSchema } from "../../../contract/flows/flow-value.ts";
import type { MachineJson } from "../../../contract/routes/flows/flows.ts";
import { describeSizeProblem } from "../../../core/flows/history/history-events.ts";
import type { RunnableFlow } from "../../../core/flows/version.ts";
import { flowHeadObject } from "../../../core/flows/version.ts";
import { buildFlowMachine } from "../../../statemachines/flow-machine.ts";
import { renderMermaid } from "../../../statemachines/mermaid.ts";
import type { ObjectCaller } from "../../identity/permit.ts";
import type { Uses } from "../../uses.ts";
import { findPermittedFlow, loadFlow, requireNewestFlow } from "./load.ts";

/**
 * Returns the state machine of a flow's version. The flow is compiled again, with the same result as its build, so that this also works for
 * machines that were deleted as idle or not created yet. Throws `flow.noMachine`, `flow.versionNotFound`.
 */
async function describeMachine(
  deps: Uses<"objects" | "storage" | "describeStateMachine" | "stepFunction" | "stack">,
  flow: RunnableFlow,
): Promise<MachineJson> {
  const { describeStateMachine, stepFunction: step, stack } = deps;
  const { workspace, path, version, build } = flow;
  const value = storedFlowValueSchema.parse((await loadFlow(deps, workspace, version)).sent.value);
  const none = value.modules.length === 0 ? "It has no steps, so it ends without a state machine." : describeSizeProblem(value);
  if (none) throw new SvcError("flow.noMachine", { path, reason: none });
  const { name, spare, definition } = buildFlowMachine(value, { step, stack, workspace, path });
  const machine = (build.state === "ready" ? build.stateMachine : undefined) ?? name;
  const { arn, url } = describeStateMachine(machine);
  return {
    machine,
    arn,
    ...(url ? { console_url: url } : {}),
    definition: { ...definition },
    mermaid: renderMermaid(definition),
    outdated: machine !== name && machine !== spare,
  };
}

/** Returns the state machine of the newest version at a path. Throws `flow.notFound` and `flow.noMachine`. */
export async function describeNewestMachine(
  deps: Uses<"objects" | "storage" | "describeStateMachine" | "stepFunction" | "stack">,
  workspace: string,
  path: string,
): Promise<MachineJson> {
  return describeMachine(deps, requireNewestFlow(await deps.objects.get(flowHeadObject.key(workspace, path)), path));
}

/** Returns the state machine of a version. Throws `flow.versionNotFound` and `flow.noMachine`. */
export async function describeMachineAtVersion(
  deps: Uses<"objects" | "storage" | "describeStateMachine" | "stepFunction" | "stack">,
  caller: ObjectCaller,
  version: number,
): Promise<MachineJson> {
  return describeMachine(deps, await findPermittedFlow(deps, caller, version));
}
