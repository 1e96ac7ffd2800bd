import { randomUUID } from "node:crypto";
import type { OperationName } from "../../contract/client/operation.ts";
import type { AnyInput } from "../../contract/client/request.ts";
import { isJsonObject } from "../../contract/json/json-object.ts";
import { type ApiClient, ApiError } from "../api/client.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../errors.ts";
import { followFlow, followJob } from "./follow.ts";
import { watchInterrupts } from "./interrupts.ts";

export interface CompletedJob {
  id: string;
  success: boolean;
  result?: unknown;
}

/** An operation that starts a job, and its input. */
export interface JobStart {
  name: Extract<OperationName, `jobs.run.${string}`>;
  input: AnyInput;
}
export interface Start extends JobStart {
  kind: "script" | "flow";
}

/** Starts a job, shows its progress unless `silent`, prints its result and returns the exit code. */
export async function runJob(context: Context, start: Start, { silent = false, client = context.client() } = {}): Promise<number> {
  // With an id that the client chooses, a repeated request cannot start a second job.
  const id = randomUUID();
  await startJob(client, start, id);
  return showRun(context, client, { id, kind: start.kind }, { silent });
}

/** Starts a job with an id. Idempotent. */
export async function startJob(client: ApiClient, { name, input }: JobStart, id: string): Promise<void> {
  try {
    await client.callAny(name, { ...input, query: { ...input.query, job_id: id } });
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "job.idTaken")) throw error;
  }
}

/** Shows the progress of a job until it has ended, prints its result and returns the exit code. */
export async function showRun(
  context: Context,
  client: ApiClient,
  { id, kind }: { id: string; kind: Start["kind"] },
  { silent = false } = {},
): Promise<number> {
  const stop = watchInterrupts(context, client, id);
  try {
    await (silent ? waitForEnd(client, id) : kind === "flow" ? followFlow(context, client, id) : followJob(context, client, id));
  } finally {
    stop();
  }
  return printEnd(context, await client.call.jobs.getCompleted({ id }));
}

/** The service delays each reply until the job ends. */
export async function waitForEnd(client: ApiClient, id: string): Promise<void> {
  const read = () => client.call.jobs.getUpdate({ id, query: { no_logs: true } });
  for (let { completed } = await read(); !completed; ) ({ completed } = await read());
}

function printEnd({ output }: Context, { id, success, result }: CompletedJob): number {
  if (output.json) output.line({ id, success, result }, "");
  else if (success) output.value(result);
  else output.say(output.style("red", describeFailure(result)));
  return success ? exitCodes.done : exitCodes.failed;
}

/** Describes the failure of a job from its result. */
export function describeFailure(result: unknown): string {
  const error = isJsonObject(result) ? result["error"] : undefined;
  if (!isJsonObject(error)) return JSON.stringify(result);
  const stack = typeof error["stack"] === "string" ? [error["stack"]] : [];
  return [`${String(error["name"])}: ${String(error["message"])}`, ...stack].join("\n");
}
