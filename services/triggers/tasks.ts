import { isSvcError } from "../../contract/errors.ts";
import type { ObjectKind, ValueOf } from "../../core/objects/define-object.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import { connectionObject } from "../../core/triggers/sources.ts";
import { heldJobObject, polledQueueObject, releaseObject } from "../../core/triggers/trigger.ts";
import { runJobNow } from "../jobs/queue/run-job-now.ts";
import type { Uses } from "../uses.ts";

export type TriggerTaskDeps = Uses<"isolation" | "jobs" | "objects" | "queue" | "functions" | "nowMs" | "deploysTriggerQueue">;

/** The number of sources for one call of function `connect`. */
const CONNECTIONS = 20;
/** The number of queues that one call of function `receive` reads concurrently. */
const POLLED = 10;
const RELEASED_AT_ONCE = 100;

/** Reads the records of a task. An unreadable record is set aside. */
async function readRecords<T>(
  { objects, isolation }: TriggerTaskDeps,
  task: string,
  kind: Pick<ObjectKind<[], never[], T>, "partitionKey" | "parse">,
): Promise<T[]> {
  const found = await objects.list(kind.partitionKey());
  const read = await Promise.all(found.map((stored) => isolation.attempt(task, stored.sk, () => kind.parse(stored))));
  return read.flatMap((each) => (each.ok ? [each.value] : []));
}

/** After this time the mapping of the queue of triggers is checked again: an update of an older release removes it, and mail needs no source. */
const RECHECK_MINUTES = 10;

/**
 * Starts checks of all sources whose state may differ from the needs of their triggers, and of the queue of triggers. Returns the number of
 * sources.
 */
export async function connectPendingSources(deps: TriggerTaskDeps): Promise<number> {
  const pending = await readRecords(deps, "connectSources", connectionObject);
  for (let at = 0; at < pending.length; at += CONNECTIONS) {
    const connections = pending.slice(at, at + CONNECTIONS).map(({ of, source }) => ({ workspace: of, source }));
    await deps.functions.startConnecting({ connections });
  }
  const rechecks = !deps.deploysTriggerQueue && Math.floor(deps.nowMs() / 60_000) % RECHECK_MINUTES === 0;
  if (rechecks && pending.length === 0) await deps.functions.startConnecting({ connections: [] });
  return pending.length;
}

/** Passes the queues that are read with access keys to function `receive`. Returns their number. */
export async function pollRemoteQueues(deps: TriggerTaskDeps): Promise<number> {
  const refs = await readRecords(deps, "pollQueues", polledQueueObject);
  for (let at = 0; at < refs.length; at += POLLED) {
    await deps.functions.startPolling({ poll: refs.slice(at, at + POLLED).map(({ workspace, path, id }) => ({ workspace, path, id })) });
  }
  return refs.length;
}

/** The name under which failed items of this task are recorded. */
const RELEASE = "releaseHeldJobs";

/**
 * Lets the jobs start that waited for their triggers, until `untilMs` (epoch ms, real clock). Returns their number. A job that has run or was
 * canceled since does not change, and a step that dies in between is repeated.
 */
export async function releaseHeldJobs(deps: TriggerTaskDeps, untilMs: number): Promise<number> {
  let released = 0;
  for (const release of await readRecords(deps, RELEASE, releaseObject)) {
    released += await releaseJobsOf(deps, release, untilMs);
    if (Date.now() >= untilMs) break;
  }
  return released;
}

type Release = ValueOf<typeof releaseObject>;

/** Releases the jobs of one trigger. The trigger remains in the list if one of them fails or the time has ended. */
async function releaseJobsOf(deps: TriggerTaskDeps, { id, of }: Release, untilMs: number): Promise<number> {
  const { objects, isolation } = deps;
  const prefix = `${id}#`;
  let released = 0;
  for (let from = prefix; ; ) {
    const heldJobs = await objects.list(heldJobObject.partitionKey(of), { between: [from, `${prefix}\uffff`], limit: RELEASED_AT_ONCE });
    const last = heldJobs.at(-1);
    if (!last && from === prefix) {
      await objects.deleteItem(releaseObject.key(of, id));
      return released;
    }
    const done = await Promise.all(
      heldJobs.map((stored) => isolation.attempt(RELEASE, `${of}#${stored.sk}`, () => releaseJob(deps, { id, of }, stored))),
    );
    released += done.filter(({ ok }) => ok).length;
    const hasFailed = done.some(({ ok }) => !ok);
    if (Date.now() >= untilMs || (hasFailed && heldJobs.length < RELEASED_AT_ONCE)) return released;
    // Released jobs leave the list, so it is read from its beginning until it is empty.
    from = hasFailed && last ? `${last.sk} ` : from;
    if (!last) return released;
  }
}

async function releaseJob(deps: TriggerTaskDeps, { id, of }: Release, stored: StoredObject): Promise<void> {
  const { job: jobId } = heldJobObject.parse(stored);
  const job = await deps.jobs.get(jobId);
  try {
    if (job) await runJobNow(deps, job);
  } catch (error) {
    if (!isSvcError(error) || error.code !== "job.notQueued") throw error;
  }
  await deps.objects.deleteItem(heldJobObject.key(of, id, jobId));
}
