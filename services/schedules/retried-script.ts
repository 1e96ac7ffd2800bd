import type { Retry } from "../../contract/flows/flow-value.ts";
import { limits } from "../../contract/limits.ts";
import type { Runnable } from "../../core/scripts/version.ts";
import type { NewJob } from "../jobs/queue/enqueue.ts";

/** Returns the fields of a job that runs a script as the only step of a flow, which has the retries. The script's arguments are those of the flow. */
export function buildRetriedScript(
  { path, onBehalfOf, priority }: Runnable,
  retry: Retry,
  args: Record<string, unknown>,
): Pick<NewJob, "kind" | "path" | "code" | "timeoutS" | "onBehalfOf" | "priority"> {
  const input_transforms = Object.fromEntries(
    Object.keys(args).map((name) => [name, { type: "javascript" as const, expr: `flow_input[${JSON.stringify(name)}]` }]),
  );
  const flow = { modules: [{ id: "a", value: { type: "script" as const, path, input_transforms }, retry }] };
  return { kind: "singlestepflow", path, code: { flow }, timeoutS: limits.flowTimeoutS, onBehalfOf, priority };
}
