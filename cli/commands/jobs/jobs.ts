import type { JobJson } from "../../../contract/routes/jobs/job.ts";
import { NEXT_CURSOR_HEADER } from "../../../contract/routes/jobs/job-lists.ts";
import { readFirst } from "../../api/pages.ts";
import type { Context } from "../../context.ts";
import { CommandError } from "../../errors.ts";
import { showRun } from "../../run/run-job.ts";

interface ListFlags {
  path?: string;
  running?: boolean;
  failed?: boolean;
  limit: number;
}

const stateOf = (job: JobJson): string => {
  if (job.type === "QueuedJob") return job.running ? "running" : "queued";
  if (job.canceled) return "canceled";
  return job.success ? "success" : "failure";
};

/** Lists jobs, the newest first. */
export async function listJobs(context: Context, { path, running, failed, limit }: ListFlags): Promise<void> {
  const query = { script_path_exact: path, running, success: failed ? false : undefined };
  const next = { header: NEXT_CURSOR_HEADER, parameter: "cursor" };
  const shown = await readFirst<JobJson>(context.client(), "jobs/list", query, { limit, next });
  const rows = shown.map((job) => [job.id, stateOf(job), job.created_at, job.created_by, job.script_path ?? job.job_kind]);
  context.output.data(shown, context.output.table(["ID", "STATE", "CREATED_AT", "CREATED_BY", "PATH"], rows));
}

export async function getJob(context: Context, id: string): Promise<void> {
  context.output.value(await context.client().get<JobJson>(`jobs_u/get/${encodeURIComponent(id)}`));
}

export async function showLogs(context: Context, id: string): Promise<void> {
  context.output.value(await context.client().get<string>(`jobs_u/get_logs/${encodeURIComponent(id)}`));
}

export async function showResult(context: Context, id: string): Promise<void> {
  const result = await context.client().find<unknown>(`jobs_u/completed/get_result/${encodeURIComponent(id)}`);
  if (result === undefined) throw new CommandError(`There is no job ${id} that has ended.`);
  context.output.value(result);
}

export async function cancelJob(context: Context, id: string, { reason }: { reason?: string }): Promise<void> {
  await context.client().post(`jobs_u/queue/cancel/${encodeURIComponent(id)}`, reason ? { reason } : {});
  context.output.say(`The job ${id} is canceled.`);
}

/** Runs a job again with the same version and arguments, and shows its progress. */
export async function rerunJob(context: Context, id: string, { silent }: { silent?: boolean }): Promise<number> {
  const client = context.client();
  const old = await client.get<JobJson>(`jobs_u/get/${encodeURIComponent(id)}`, { query: { no_logs: true, no_code: true } });
  const answer = await client.post<string>("jobs/run/batch_rerun_jobs", { job_ids: [id] });
  const line = answer.trim();
  if (line.startsWith("Error")) throw new CommandError(`The job ${id} was not run again. ${line}`);
  context.output.say(`The job ${line} runs.`);
  const kind = old.job_kind.startsWith("flow") ? "flow" : "script";
  return showRun(context, client, { id: line, kind }, { silent: silent ?? false });
}

/** Restarts an ended flow from one of its steps as a new job, and shows its progress. */
export async function restartFlow(
  context: Context,
  id: string,
  { step, iteration, silent }: { step?: string; iteration?: number; silent?: boolean },
): Promise<number> {
  const client = context.client();
  const body = { step_id: step, branch_or_iteration_n: iteration };
  const job = (await client.post<string>(`jobs/restart/f/${encodeURIComponent(id)}`, body)).trim();
  context.output.say(`The job ${job} runs.`);
  return showRun(context, client, { id: job, kind: "flow" }, { silent: silent ?? false });
}
