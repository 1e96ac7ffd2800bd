import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { type EndState, hasEnded, type Job, resultFor } from "../../core/jobs/job.ts";
import type { Actor } from "../../core/people/actor.ts";
import { hasReferences } from "../../core/resources/references.ts";
import type { Runnable } from "../../core/scripts/version.ts";
import { enqueue, type NewJob, prepare } from "./accept.ts";
import { claimedAtOnce } from "./claim.ts";
import { type Executable, type Executing, execute, runRequest } from "./execute.ts";
import type { JustEnded } from "./finish.ts";
import { load } from "./places.ts";
import { type Recording, record } from "./record.ts";
import { waitForEnd } from "./wait.ts";

export type RunningInPlace = Executing & Recording;

/** A synchronous call's answer: the result's JSON text, or where it is when it is too large for a reply. */
export interface SyncAnswer {
  id: string;
  state: EndState;
  resultJson?: string;
  stored?: { s3: string; url: string; size: number };
  /** How long the link works. */
  linkS?: number;
}

/** How long a presigned link to a large result works. */
const LINK_S = 3600;

/**
 * Runs a job and waits for its end. A version that is built is executed right here, with no queue in between; everything else,
 * arguments with references too, goes through the queue and is waited for. Throws `job.idTaken` and, at the deadline, `job.syncTimeout`: the job goes on.
 */
export async function runSync(
  executing: RunningInPlace,
  asked: NewJob,
  runnable: Runnable | undefined,
  untilMs: number,
): Promise<SyncAnswer> {
  const { id, ended } = await start(executing, asked, runnable, untilMs);
  if (!ended) throw new SvcError("job.syncTimeout", { id, limitMs: limits.syncCallMs });
  return answer(executing, asked.actor, ended);
}

async function start(
  executing: RunningInPlace,
  asked: NewJob,
  runnable: Runnable | undefined,
  untilMs: number,
): Promise<{ id: string; ended: JustEnded | undefined }> {
  // This function reads what strangers send, and holds no right to a secret: what a reference stands for is the worker's to read.
  if (runnable?.build.state !== "ready" || !runnable.runner || asked.scheduledForMs || hasReferences(asked.args)) {
    const { id } = await enqueue(executing, asked);
    return { id, ended: await waitForEnd(executing, id, untilMs) };
  }
  const { nowMs, worker } = executing;
  const job = claimedAtOnce(await prepare(executing, asked), nowMs(), worker);
  const { runner, build, params, paramTypes, dedicated } = runnable;
  const what: Executable = { runner, artefact: build, params, paramTypes, dedicated };
  // Signing takes as long as the record's write, and nothing is said to the runner before that.
  const [other, first] = await Promise.all([record(executing, job, asked.once), runRequest(executing, job, what, asked.args)]);
  if (other) return { id: other.id, ended: await waitForEnd(executing, other.id, untilMs) };
  const run = execute(executing, job, what, asked.args, first);
  const ended = await before(untilMs - nowMs(), run);
  // Given back to the queue, or taken over by another attempt: its end shows in the record.
  if (ended === "elsewhere") return { id: job.id, ended: await waitForEnd(executing, job.id, untilMs) };
  return { id: job.id, ended };
}

/** The answer of a job that an equal call has started: joins its wait. Throws `job.syncTimeout`. */
export async function joinRun(executing: RunningInPlace, reader: Actor, job: Job, untilMs: number): Promise<SyncAnswer> {
  const ended = hasEnded(job) ? job : await waitForEnd(executing, job.id, untilMs);
  if (!ended) throw new SvcError("job.syncTimeout", { id: job.id, limitMs: limits.syncCallMs });
  return answer(executing, reader, ended);
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

async function answer({ jobs, storage }: Executing, reader: Actor, ended: JustEnded): Promise<SyncAnswer> {
  const { id, state } = ended;
  const result = resultFor(reader, ended);
  const resultJson = result === ended.result ? ended.resultJson : undefined;
  if (result.in === "s3" && (result.bytes ?? 0) > limits.syncReplyBytes) {
    return {
      id,
      state,
      stored: { s3: result.key, url: await storage.readUrl(result.key, LINK_S), size: result.bytes ?? 0 },
      linkS: LINK_S,
    };
  }
  return { id, state, resultJson: resultJson ?? (await load({ jobs, storage }, ended, result)) };
}
