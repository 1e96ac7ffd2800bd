import type { Retry } from "../../contract/flows/flow-value.ts";
import { limits } from "../../contract/limits.ts";
import { pickSettings } from "../../core/jobs/record/run-settings.ts";
import type { Runnable } from "../../core/scripts/version.ts";

/** Returns the fields of a job that runs a script as the only step of a flow, which has the retries. The script's arguments are those of the flow. */
export function buildRetriedScript(version: Runnable, retry: Retry, args: Record<string, unknown>) {
  const { path, onBehalfOf } = version;
  const input_transforms = Object.fromEntries(
    Object.keys(args).map((name) => [name, { type: "javascript" as const, expr: `flow_input[${JSON.stringify(name)}]` }]),
  );
  const flow = { modules: [{ id: "a", value: { type: "script" as const, path, input_transforms }, retry }] };
  // The step has the limits of the script, and a flow has no cached results.
  const ofStep = { hash: undefined, language: undefined, concurrency: undefined, cacheTtlS: undefined, timeoutS: limits.flowTimeoutS };
  return { ...pickSettings("script", version), ...ofStep, kind: "singlestepflow" as const, path, code: { flow }, onBehalfOf };
}
