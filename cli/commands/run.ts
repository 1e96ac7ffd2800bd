import { randomUUID } from "node:crypto";
import { isJsonObject } from "../../contract/json-object.ts";
import type { ApiClient } from "../api/client.ts";
import { encodePath } from "../api/routes.ts";
import type { Context } from "../context.ts";
import { CommandError, exitCodes } from "../errors.ts";
import { canAsk, confirm } from "../output/prompts.ts";

interface RunFlags {
  data?: Record<string, unknown>;
  silent?: boolean;
}
interface JobUpdate {
  completed?: boolean;
  new_logs?: string;
  log_offset?: number;
  new_result_stream?: string;
  stream_offset?: number;
}
interface CompletedJob {
  id: string;
  success: boolean;
  result: unknown;
}

export const runScript = (context: Context, path: string, flags: RunFlags): Promise<number> =>
  start(context, `jobs/run/p/${encodePath(path)}`, flags);
export const runFlow = (context: Context, path: string, flags: RunFlags): Promise<number> =>
  start(context, `jobs/run/f/${encodePath(path)}`, flags);

async function start(context: Context, route: string, { data = {}, silent = false }: RunFlags): Promise<number> {
  const client = context.client();
  // With an id of its own, a repeated request cannot start a second job.
  const id = randomUUID();
  await client.post<string>(route, data, { query: { job_id: id } }).catch((error: unknown) => {
    if ((error as { code?: string }).code !== "job.idTaken") throw error;
  });
  const stop = watchInterrupts(context, client, id);
  try {
    await followLog(context, client, id, { silent });
  } finally {
    stop();
  }
  return printEnd(context, await client.get<CompletedJob>(`jobs_u/completed/get/${id}`));
}

/** Prints the log and the streamed result of a job until it has ended. The service holds each request while nothing changes. */
async function followLog(context: Context, client: ApiClient, id: string, { silent }: { silent: boolean }): Promise<void> {
  for (let [log, stream] = [0, 0]; ; ) {
    const update = await client.get<JobUpdate>(`jobs_u/getupdate/${id}`, {
      query: { running: true, log_offset: log, stream_offset: stream },
    });
    const text = update.new_logs ?? "";
    if (!silent && text !== "") print(context, { log: text }, text);
    if (!silent && update.new_result_stream) print(context, { stream: update.new_result_stream }, update.new_result_stream);
    log = update.log_offset ?? log + text.length;
    stream = update.stream_offset ?? stream;
    if (update.completed) return;
  }
}

/** A log is talk for people, and a line of the NDJSON for programs. */
function print({ output }: Context, line: object, text: string): void {
  if (output.json) output.line(line, "");
  else process.stderr.write(text);
}

function printEnd({ output }: Context, { id, success, result }: CompletedJob): number {
  if (output.json) output.line({ id, success, result }, "");
  else if (success) output.value(result);
  else output.say(output.style("red", describeFailure(result)));
  return success ? exitCodes.done : exitCodes.failed;
}

function describeFailure(result: unknown): string {
  const error = isJsonObject(result) ? result["error"] : undefined;
  if (!isJsonObject(error)) return JSON.stringify(result);
  return [`${String(error["name"])}: ${String(error["message"])}`, ...(typeof error["stack"] === "string" ? [error["stack"]] : [])].join(
    "\n",
  );
}

/** Asks on Ctrl-C whether to cancel the job. Without a terminal, the job continues. */
function watchInterrupts(context: Context, client: ApiClient, id: string): () => void {
  let asked = false;
  const interrupt = async (): Promise<void> => {
    if (asked || !canAsk()) {
      context.output.say(`The job ${id} continues.`);
      process.exit(exitCodes.interrupted);
    }
    asked = true;
    if (await confirm(`Cancel the job ${id}?`, { yes: false })) await client.post(`jobs_u/queue/cancel/${id}`, {});
    process.exit(exitCodes.interrupted);
  };
  const listener = () => void interrupt().catch((error: unknown) => context.output.say(String(error)));
  process.on("SIGINT", listener);
  return () => process.off("SIGINT", listener);
}

export async function showLogs(context: Context, id: string): Promise<void> {
  const log = await context.client().get<string>(`jobs_u/get_logs/${encodeURIComponent(id)}`);
  context.output.value(log);
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
