import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { EndState } from "../../core/jobs/job.ts";
import { firstDueMs } from "../../core/jobs/lifecycle.ts";
import { hasReferences } from "../../core/resources/references.ts";
import type { Runnable } from "../../core/scripts/version.ts";
import { enqueue, type NewJob, prepare } from "./accept.ts";
import { claimedAtOnce } from "./claim.ts";
import { type Executable, type Executing, execute, runRequest } from "./execute.ts";
import type { JustEnded } from "./finish.ts";
import { load } from "./places.ts";
import { waitForEnd } from "./wait.ts";

/** A synchronous call's answer: the result's JSON text, or where it is when it is too large for a reply. */
export interface SyncAnswer {
  id: string;
  state: EndState;
  resultJson?: string;
  stored?: { s3: string; url: string; size: number };
}

/** How long a presigned link to a large result works. */
const LINK_S = 3600;

/**
 * Runs a job and waits for its end. A version that is built is executed right here, with no queue in between; everything else,
 * arguments with references too, goes through the queue and is waited for. Throws `job.idTaken` and, at the deadline, `job.syncTimeout`: the job goes on.
 */
export async function runSync(executing: Executing, asked: NewJob, runnable: Runnable | undefined, untilMs: number): Promise<SyncAnswer> {
  const { id, ended } = await start(executing, asked, runnable, untilMs);
  if (!ended) throw new SvcError("job.syncTimeout", { id, limitMs: limits.syncCallMs });
  return answer(executing, ended);
}

async function start(
  executing: Executing,
  asked: NewJob,
  runnable: Runnable | undefined,
  untilMs: number,
): Promise<{ id: string; ended: JustEnded | undefined }> {
  // This function reads what strangers send, and holds no right to a secret: what a reference stands for is the worker's to read.
  if (runnable?.build.state !== "ready" || !runnable.runner || asked.delayS || hasReferences(asked.args)) {
    const { id } = await enqueue(executing, asked);
    return { id, ended: await waitForEnd(executing, id, untilMs) };
  }
  const { jobs, nowMs, worker } = executing;
  const job = claimedAtOnce(await prepare(executing, asked), nowMs(), worker);
  const { runner, build, params, paramTypes, dedicated } = runnable;
  const what: Executable = { runner, artefact: build, params, paramTypes, dedicated };
  // Signing takes as long as the record's write, and nothing is said to the runner before that.
  const [created, first] = await Promise.all([jobs.create(job, firstDueMs(job.createdAtMs)), runRequest(executing, job, what, asked.args)]);
  if (!created) throw new SvcError("job.idTaken", { id: job.id });
  const run = execute(executing, job, what, asked.args, first);
  const ended = await before(untilMs - nowMs(), run);
  // Given back to the queue, or taken over by another attempt: its end shows in the record.
  if (ended === "elsewhere") return { id: job.id, ended: await waitForEnd(executing, job.id, untilMs) };
  return { id: job.id, ended };
}

/** The run's end if it comes in time. A run that lasts longer goes on; its runner reports its end itself. */
async function before(ms: number, run: Promise<JustEnded | undefined>): Promise<JustEnded | "elsewhere" | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.max(ms, 0));
  });
  try {
    return await Promise.race([run.then((ended) => ended ?? ("elsewhere" as const)), late]);
  } finally {
    clearTimeout(timer);
    run.catch(() => undefined);
  }
}

async function answer({ jobs, storage }: Executing, ended: JustEnded): Promise<SyncAnswer> {
  const { id, result, state, resultJson } = ended;
  if (result.in === "s3" && (result.bytes ?? 0) > limits.syncReplyBytes) {
    return { id, state, stored: { s3: result.key, url: await storage.readUrl(result.key, LINK_S), size: result.bytes ?? 0 } };
  }
  return { id, state, resultJson: resultJson ?? (await load({ jobs, storage }, ended, result)) };
}
