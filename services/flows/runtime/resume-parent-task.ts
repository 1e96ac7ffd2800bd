import { createHash } from "node:crypto";
import type { JobTable } from "../../../aws/dynamodb/job-table.ts";
import type { Executions } from "../../../aws/stepfunctions/executions.ts";
import type { StepState } from "../../../core/flows/step-call.ts";
import type { Job } from "../../../core/jobs/job.ts";

/** Under names that begin so a nested flow's job keeps the tokens of the tasks that wait for it: several, where several executions came so far. */
const TOKENS = "token";
/** A task's token, and the state that its machine goes on with: it looks again. */
interface Held {
  token: string;
  state?: StepState;
}
export const heldBy = (token: string, state: StepState): Held => ({ token, state: { ...state, o: "look" } });
export const resumeTask = (executions: Pick<Executions, "resume">, { token, state = {} as StepState }: Held) =>
  executions.resume(token, state);

/** Release 0.1 kept the token alone. */
const held = (json: string): Held => (json.startsWith("{") ? (JSON.parse(json) as Held) : { token: json });

export const tokenRef = (token: string) => `${TOKENS}#${createHash("sha256").update(token).digest("hex").slice(0, 16)}`;

/** A flow that another one waits for has ended. Who comes again sends the tokens again, which changes nothing. */
export async function resumeParentTask(
  { jobs, executions }: { jobs: JobTable; executions: Pick<Executions, "resume"> },
  job: Job,
): Promise<void> {
  if (!job.step || !job.flow) return;
  for (const { json } of await jobs.children(job.id, TOKENS)) if (json !== undefined) await resumeTask(executions, held(json));
}
