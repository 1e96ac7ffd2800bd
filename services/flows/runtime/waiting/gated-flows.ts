import { toGateOutcome } from "../../../../core/approvals/outcome.ts";
import { outcomeFormat, outcomeRef } from "../../../../core/flows/journal.ts";
import type { Job } from "../../../../core/jobs/record/job.ts";
import type { GatedFlows } from "../../../approvals/gates/gated-flows.ts";
import type { Uses } from "../../../uses.ts";
import { findPlan, loadFlow } from "../../definitions/load.ts";
import { loadRedactedResults } from "../../inspection/redacted-results.ts";

/** Connects approvals to flows: their plans, their journal and the tasks of their executions. */
export function connectGatedFlows(deps: Uses<"jobs" | "objects" | "storage" | "executions">): GatedFlows {
  const { executions } = deps;
  const planOf = ({ flow }: Job) => (flow?.plan ? findPlan(deps, flow.plan) : undefined);
  return {
    loadModule: async (flow, id) => (await planOf(flow))?.index.modules.get(id)?.module,
    describeFlow: async ({ workspace, flow }) => {
      if (flow?.version === undefined) return {};
      // The version may have been deleted in the meantime.
      const found = await loadFlow(deps, workspace, flow.version).catch(() => undefined);
      return found ? { summary: found.sent.summary, schema: found.sent.schema } : {};
    },
    loadResults: async (flow) => {
      const plan = await planOf(flow);
      return plan ? loadRedactedResults(deps, flow.id, plan.value) : {};
    },
    outcomeItem: (gate, opened, expiresAtS) => {
      const json = outcomeFormat.toJson({ state: "success", transition: "next", ...toGateOutcome(gate, opened) });
      return { parent: gate.flow, ref: outcomeRef(gate.module, gate.scope, gate.path), json, expiresAtS };
    },
    resumeTask: async ({ token, state, settled }) => {
      if (token !== undefined) await executions.sendTaskSuccess(token, { ...state, outcome: settled ? "next" : "enter again" });
    },
  };
}
