import * as z from "zod";
import type { JobTable } from "../../aws/dynamodb/job-table.ts";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import type { Functions } from "../../aws/lambda/functions.ts";
import type { Queue } from "../../aws/sqs/queue.ts";
import { isSvcError } from "../../contract/errors.ts";
import { keys } from "../../core/objects/keys.ts";
import { parseReadableObjects } from "../../core/objects/parse-object.ts";
import { awsSourceSchema } from "../../core/triggers/sources.ts";
import { triggerRefSchema } from "../../core/triggers/trigger.ts";
import { runJobNow } from "../jobs/queue/run-job-now.ts";

export interface TriggerTaskDeps {
  objects: Pick<ObjectTable, "list" | "deleteItem">;
  jobs: JobTable;
  queue: Queue;
  functions: Pick<Functions, "startConnecting" | "startPolling">;
  nowMs: () => number;
}

const connectionSchema = z.object({ of: z.string(), source: awsSourceSchema });
const releaseSchema = z.object({ id: z.string(), of: z.string() });
const heldSchema = z.object({ job: z.string() });

/** The number of sources for one call of function `connect`. */
const CONNECTIONS = 20;
/** The number of queues that one call of function `receive` reads at the same time. */
const POLLED = 10;
const RELEASED_AT_ONCE = 100;

/** Has the sources checked whose state may differ from what their triggers need. Returns their number. */
export async function connectPendingSources({ objects, functions }: TriggerTaskDeps): Promise<number> {
  const pending = parseReadableObjects(connectionSchema, await objects.list(keys.connection("", "").pk, { limit: CONNECTIONS }));
  if (pending.length > 0) await functions.startConnecting({ connections: pending.map(({ of, source }) => ({ workspace: of, source })) });
  return pending.length;
}

/** Hands the queues that are read with keys over to function `receive`. Returns their number. */
export async function pollRemoteQueues({ objects, functions }: TriggerTaskDeps): Promise<number> {
  const refs = parseReadableObjects(triggerRefSchema, await objects.list(keys.polledQueue("", "").pk));
  for (let at = 0; at < refs.length; at += POLLED) {
    await functions.startPolling({ poll: refs.slice(at, at + POLLED).map(({ workspace, path, id }) => ({ workspace, path, id })) });
  }
  return refs.length;
}

/**
 * Lets the jobs start that waited for their triggers, until `untilMs` (epoch ms, real clock). Returns their number. A job that has run or was
 * canceled since is left alone, and a step that dies in between is repeated.
 */
export async function releaseHeldJobs(deps: TriggerTaskDeps, untilMs: number): Promise<number> {
  const { objects } = deps;
  let released = 0;
  for (const { id, of } of parseReadableObjects(releaseSchema, await objects.list(keys.release("", "").pk))) {
    for (;;) {
      const held = await objects.list(keys.heldJob(of, id, "").pk, { beginsWith: `${id}#`, limit: RELEASED_AT_ONCE });
      if (held.length === 0) {
        await objects.deleteItem(keys.release(of, id));
        break;
      }
      await Promise.all(held.map((stored) => releaseJob(deps, of, { id, stored })));
      released += held.length;
      if (Date.now() >= untilMs) return released;
    }
  }
  return released;
}

async function releaseJob(
  deps: TriggerTaskDeps,
  workspace: string,
  { id, stored }: { id: string; stored: Awaited<ReturnType<ObjectTable["list"]>>[number] },
): Promise<void> {
  const { job: jobId } = heldSchema.parse(stored.value);
  const job = await deps.jobs.get(jobId);
  try {
    if (job) await runJobNow(deps, job);
  } catch (error) {
    if (!isSvcError(error) || error.code !== "job.notQueued") throw error;
  }
  await deps.objects.deleteItem(keys.heldJob(workspace, id, jobId));
}
