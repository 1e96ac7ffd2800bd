import type { Executions } from "../../aws/executions.ts";
import type { JobTable } from "../../aws/job-table.ts";
import type { Job } from "../../core/jobs/job.ts";

/** Under this name a nested flow's job keeps the token of the task that waits for it. */
export const TOKEN_REF = "token";

/** A flow that another one waits for has ended. Who comes again sends the token again, which changes nothing. */
export async function tellParent(
  { jobs, executions }: { jobs: JobTable; executions: Pick<Executions, "resume"> },
  job: Job,
): Promise<void> {
  if (!job.step || !job.flow) return;
  const token = await jobs.getChild(job.id, TOKEN_REF);
  if (token?.json !== undefined) await executions.resume(token.json);
}
