import type { Uses } from "../../../uses.ts";
import { loadPlan } from "../../definitions/load.ts";
import type { StepContext } from "../step-context.ts";
import { resolveForFlow } from "./evaluate-with-reads.ts";

/** The flow's environment, with references resolved with the rights of the flow's job. A nested flow without an environment uses that of its caller. */
export async function loadFlowEnvironment(
  deps: Uses<"jobs" | "objects" | "storage" | "dataKeys" | "nowMs">,
  { flow, plan, secrets }: Pick<StepContext, "flow" | "plan" | "secrets">,
): Promise<unknown> {
  const { flow_env: environment } = plan.value;
  if (!environment && flow.step && flow.parent !== undefined) {
    const parent = await deps.jobs.get(flow.parent);
    if (parent?.state === "running" && parent.flow?.plan) {
      return loadFlowEnvironment(deps, { flow: parent, plan: await loadPlan(deps, parent.flow.plan), secrets });
    }
  }
  return resolveForFlow(deps, { flow, secrets }, environment ?? {});
}
