import { createHash } from "node:crypto";
import * as z from "zod";
import { type StepState, stepStateSchema } from "../../../../core/flows/step-call.ts";
import { childPrefix, childRef } from "../../../../core/jobs/lists/child-items.ts";
import type { Job } from "../../../../core/jobs/record/job.ts";
import { parseReadable, recordFormat } from "../../../../core/records/record-format.ts";
import type { Uses } from "../../../uses.ts";

const waitingTaskSchema = z.object({ token: z.string(), state: stepStateSchema });
/** A task that waits for its token, and the state with which its machine resumes. */
type WaitingTask = z.infer<typeof waitingTaskSchema>;
const waitingTaskFormat = recordFormat({ schema: waitingTaskSchema, version: 1 });

/** The module of the task is entered again when the task resumes. */
export const toWaitingTask = (token: string, state: StepState): WaitingTask => ({ token, state: { ...state, outcome: "enter again" } });

/** Resumes a task. A task that no longer waits is not an error. */
export const resumeTask = ({ executions }: Uses<"executions">, { token, state }: WaitingTask) => executions.sendTaskSuccess(token, state);

/** Stores a task under the job of the nested flow for which it waits. Several executions of the parent may each have stored one. */
export async function storeTaskToken({ jobs }: Uses<"jobs">, job: Pick<Job, "id" | "expiresAtMs">, task: WaitingTask): Promise<void> {
  const ref = childRef("taskToken", createHash("sha256").update(task.token).digest("hex").slice(0, 16));
  await jobs.putChild({ parent: job.id, ref, json: waitingTaskFormat.toJson(task), expiresAtS: Math.ceil(job.expiresAtMs / 1000) });
}

/**
 * Loads the tasks that wait for a nested flow's job, those of earlier executions of the parent included. A task whose record cannot be read counts as
 * lost: reconciliation replaces its execution.
 */
export async function loadWaitingTasks({ jobs }: Uses<"jobs">, job: string): Promise<WaitingTask[]> {
  const children = await jobs.listChildren(job, childPrefix.taskToken);
  return parseReadable(children, waitingTaskFormat.parse).map(([, task]) => task);
}

/** Resumes the tasks that wait for an ended nested flow. Idempotent. */
export async function resumeParentTask(deps: Uses<"jobs" | "executions">, job: Job): Promise<void> {
  if (!job.step || !job.flow) return;
  for (const task of await loadWaitingTasks(deps, job.id)) await resumeTask(deps, task);
}
