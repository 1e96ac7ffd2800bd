import { storedFlowValueSchema } from "../../../contract/flows/flow-value.ts";
import type { UnstoredCode } from "../../../core/builds/packages/overrides.ts";
import { addLocks } from "../../../core/flows/version.ts";
import type { RunningJob } from "../../../core/jobs/record/job.ts";
import { type Ending, failedEnding } from "../../../core/jobs/record/lifecycle.ts";
import { loadJson } from "../../jobs/values/values.ts";
import type { Uses } from "../../uses.ts";
import { planFlow } from "./plan.ts";

/** Runs a `flowdependencies` job of a flow that is not stored: the result is the flow, in which each inline script has its lock. */
export async function lockFlow(
  deps: Uses<"jobs" | "objects" | "storage" | "functions" | "target" | "registries">,
  job: RunningJob,
): Promise<Ending> {
  const { flow, at, dependencyFiles, tempScripts } = (job.code ? await loadJson(deps, job, job.code) : {}) as Partial<UnstoredCode> & {
    flow?: unknown;
  };
  const value = storedFlowValueSchema.parse(flow);
  const planned = await planFlow(deps, job, {
    path: at || `${job.permissionedAs}/preview`,
    value,
    overrides: { dependencyFiles, tempScripts },
  });
  const ending = planned.ok
    ? { state: "succeeded" as const, resultJson: JSON.stringify({ updated_flow_value: addLocks(value, planned.locks) }) }
    : failedEnding({ name: "DependencyError", message: planned.error });
  return { ...ending, log: planned.log };
}
