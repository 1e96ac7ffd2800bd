import { isJsonObject } from "../../../../../contract/json/json-object.ts";
import type { RunJob } from "./use-run.ts";

export interface Cause {
  name: string;
  message: string;
  /** The step of the flow that failed. */
  step: string | undefined;
}

/** Returns why a run failed, from its result. A failed loop has a list of results, of which the first failure counts. */
export function causeOf(run: RunJob): Cause | undefined {
  if (run.type !== "CompletedJob" || run.success) return undefined;
  return findError(run.result);
}

function findError(result: unknown): Cause | undefined {
  if (Array.isArray(result)) return result.map(findError).find((cause) => cause !== undefined);
  if (!isJsonObject(result) || !isJsonObject(result["error"])) return undefined;
  const { name, message, step_id } = result["error"];
  return { name: String(name ?? ""), message: String(message ?? ""), step: typeof step_id === "string" ? step_id : undefined };
}
