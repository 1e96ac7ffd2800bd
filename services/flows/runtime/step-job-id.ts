import { v5 as uuidv5 } from "uuid";
import { jobName } from "../../../core/flows/journal.ts";
import type { ScopeName } from "../../../core/flows/scopes.ts";

/** The id of a step's job is made of its place in its flow's job: whoever comes again finds the same job. */
export function stepJobId(flow: string, module: string, scope: ScopeName, at: string, attempt: number): string {
  return uuidv5(jobName(module, scope, at, attempt), flow);
}
