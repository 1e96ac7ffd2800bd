import type { Child } from "../../../aws/dynamodb/job-items.ts";
import type { FlowModule } from "../../../contract/flows/flow-value.ts";
import type { Gate, OpenedGate } from "../../../core/approvals/gate.ts";
import type { Job } from "../../../core/jobs/record/job.ts";

/**
 * The interface through which approvals access the flow of a gate. Flow code implements it, so that approvals depend only on task tokens.
 */
export interface GatedFlows {
  /** Loads a module of the flow that a job runs; `undefined` if the module or the flow was deleted. */
  loadModule(flow: Job, id: string): Promise<FlowModule | undefined>;
  /** Loads the summary and the schema of the flow that a job runs, if it has them and was not deleted. */
  describeFlow(flow: Job): Promise<{ summary?: string; schema?: unknown }>;
  /** Loads the results of a flow so far, by module id, without secrets. */
  loadResults(flow: Job): Promise<Record<string, unknown>>;
  /** Builds the item that records the outcome of an approved gate. It is written together with the approval. */
  outcomeItem(gate: Gate, opened: OpenedGate, expiresAtS: number): Child;
  /** Resumes the task that waits at a decided gate. A repeated call changes nothing. */
  resumeTask(gate: Gate): Promise<void>;
}
