import { v5 as uuidv5 } from "uuid";
import { buildJobName } from "../../../core/flows/journal.ts";
import type { ScopeName } from "../../../core/flows/scopes.ts";

/** The id of a step's job is derived from its position in the flow's job: a repeated call finds the same job. */
export function computeStepJobId(flow: string, module: string, scope: ScopeName, path: string, attempt: number): string {
  return uuidv5(buildJobName(module, scope, path, attempt), flow);
}
