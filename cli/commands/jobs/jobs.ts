import type { FlowStatus } from "../../../contract/routes/flows/flow-status.ts";
import type { JobJson } from "../../../contract/routes/jobs/job.ts";
import { NEXT_CURSOR_HEADER } from "../../../contract/routes/jobs/job-lists.ts";
import type { ApiClient } from "../../api/client.ts";
import { readFirst } from "../../api/pages.ts";
import type { Context } from "../../context.ts";
import { CommandError } from "../../errors.ts";
import { listStepJobs } from "../../run/flow-steps.ts";
import { describeFailure, showRun } from "../../run/run-job.ts";

interface ListFlags {
  path?: string;
  running?: boolean;
  failed?: boolean;
  all?: boolean;
  limit: number;
}

const stateOf = (job: JobJson): string => {
  if (job.type === "QueuedJob") return job.running ? "running" : "queued";
  if (job.canceled) return "canceled";
  return job.success ? "success" : "failure";
};

/** Returns the reason for which a job has failed or waits, in one line. */
function reasonOf(job: JobJson, result: unknown): string {
  if (job.canceled) return [`canceled by ${job.canceled_by ?? "unknown"}`, job.canceled_reason].filter(Boolean).join(": ");
  if (job.type === "QueuedJob" || job.success) return "";
  return describeFailure(result).split("\n", 1)[0] ?? "";
}

/** Runs that a person, a schedule, a trigger or a script has started. */
const RUNS = "script,flow,preview,flowpreview,singlestepflow";

/** Lists runs, the newest first. With `all`, also the jobs that belong to them. */
export async function listJobs(context: Context, { path, running, failed, all = false, limit }: ListFlags): Promise<void> {
  const top = all ? {} : { has_null_parent: true, job_kinds: RUNS };
  const query = { script_path_exact: path, running, success: failed ? false : undefined, ...top };
  const client = context.client();
  const shown = await readFirst({ limit, header: NEXT_CURSOR_HEADER }, (cursor, per_page) =>
    client.ask.jobs.list({ query: { ...query, cursor, per_page } }),
  );
  // Lists contain no results, and a failure is described by its result.
  const readReason = async (job: JobJson) => {
    const isFailed = job.type === "CompletedJob" && !job.success && !job.canceled;
    return reasonOf(job, isFailed ? await client.find.jobs.getResult({ id: job.id }) : undefined);
  };
  const reasons = context.output.json ? [] : await Promise.all(shown.map(readReason));
  const rows = shown.map((job, at) => [
    ...[job.id, stateOf(job), job.created_at, job.created_by, job.job_kind, job.script_path],
    reasons[at],
  ]);
  context.output.data(shown, context.output.table(["ID", "STATE", "CREATED_AT", "CREATED_BY", "KIND", "PATH", "REASON"], rows));
}

export async function getJob(context: Context, id: string): Promise<void> {
  context.output.value(await context.client().call.jobs.get({ id }));
}

/** Prints the log of a job. For a flow, that of every step in their order, each line with the ids of its steps. */
export async function showLogs(context: Context, id: string): Promise<void> {
  const client = context.client();
  const { job_kind: kind, flow_status: status } = await readJob(client, id);
  if (!isFlow(kind) || status === undefined) return context.output.value(await client.call.jobs.getLogs({ id }));
  const logs = await readStepLogs(client, id, status);
  context.output.data(logs, logs.map(({ step, log }) => log.replace(/\n$/, "").replace(/^/gm, `${step} | `)).join("\n"));
}

interface StepLog {
  step: string;
  job: string;
  log: string;
}

const isFlow = (kind: string): boolean => kind.startsWith("flow") || kind === "singlestepflow";

const readJob = (client: ApiClient, id: string) => client.call.jobs.get({ id, query: { no_logs: true, no_code: true } });

/** Reads the logs of a flow's steps, and of the flows in it. A step that ran inside the flow's own execution has no log. */
async function readStepLogs(client: ApiClient, flow: string, status: FlowStatus, around = ""): Promise<StepLog[]> {
  const logs: StepLog[] = [];
  for (const [job, name] of listStepJobs(status)) {
    if (job === flow) continue;
    const step = around === "" ? name : `${around}/${name}`;
    const inner = await client.find.jobs.get({ id: job, query: { no_logs: true, no_code: true } });
    if (inner === undefined) continue;
    if (isFlow(inner.job_kind) && inner.flow_status) {
      logs.push(...(await readStepLogs(client, job, inner.flow_status, step)));
      continue;
    }
    const log = (await client.find.jobs.getLogs({ id: job })) ?? "";
    if (log !== "") logs.push({ step, job, log });
  }
  return logs;
}

export async function showResult(context: Context, id: string): Promise<void> {
  const result = await context.client().find.jobs.getResult({ id });
  if (result === undefined) throw new CommandError(`There is no job ${id} that has ended.`);
  context.output.value(result);
}

export async function cancelJob(context: Context, id: string, { reason }: { reason?: string }): Promise<void> {
  await context.client().call.jobs.cancel({ id, body: reason ? { reason } : {} });
  context.output.say(`The job ${id} is canceled.`);
}

/** Runs a job again with the same version and arguments, and shows its progress. */
export async function rerunJob(context: Context, id: string, { silent }: { silent?: boolean }): Promise<number> {
  const client = context.client();
  const old = await client.call.jobs.get({ id, query: { no_logs: true, no_code: true } });
  const answer = await client.call.jobs.rerun({ body: { job_ids: [id] } });
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
  const job = (await client.call.jobs.restart.flows({ id, body })).trim();
  context.output.say(`The job ${job} runs.`);
  return showRun(context, client, { id: job, kind: "flow" }, { silent: silent ?? false });
}
