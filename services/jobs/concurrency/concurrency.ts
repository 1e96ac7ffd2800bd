import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ConcurrencyTable, FoundGroup } from "../../../aws/dynamodb/concurrency-table.ts";
import type { JobTable } from "../../../aws/dynamodb/job-table.ts";
import type { Queue } from "../../../aws/sqs/queue.ts";
import { isSvcError } from "../../../contract/errors.ts";
import {
  freeSlot,
  type Group,
  groupDueAtMs,
  isFull,
  mayStart,
  nextTimerMs,
  releaseExpiredSlots,
  reserveSlots,
  returnSlot,
  startSlot,
} from "../../../core/jobs/concurrency.ts";
import { buildListKey, hasEnded, type Job, type RunningJob } from "../../../core/jobs/job.ts";
import { isSendable, queueDelayS } from "../../../core/jobs/lifecycle.ts";
import { newAttemptFields } from "../lifecycle/claim.ts";

export interface ConcurrencyDeps {
  jobs: JobTable;
  concurrency: ConcurrencyTable;
  queue: Queue;
  nowMs: () => number;
}

/** Under this key of the table stands a group, and beside it who waits for it. */
const PREFIX = "limit#";
export const isConcurrencyGroup = (id: string) => id.startsWith(PREFIX);
const idOf = (group: string) => `${PREFIX}${group}`;

const WAIT = "wait#";
/** Waiting jobs are sorted by their creation. */
const waitRef = ({ createdAtMs, id }: Job) => `${WAIT}${buildListKey(createdAtMs, id)}`;
const jobOfRef = (ref: string) => ref.slice(ref.lastIndexOf("#") + 1);

/** Tries of a write that loses to other writers: each time another writer made progress. */
const TRIES = 40;
const pause = (tries: number) => sleep(randomInt(Math.min(400, 20 * 2 ** tries)));

/**
 * Claims a queued job together with its slot, in one transaction: no run is without a slot, and no slot without its run. If no slot is
 * free, the job is registered as waiting and gets a message later. Returns `undefined` then, and if the job is no longer queued.
 */
export async function claimWithSlot(
  deps: ConcurrencyDeps & { worker: string },
  id: string,
  group: string,
): Promise<RunningJob | undefined> {
  const { jobs, concurrency, nowMs, worker } = deps;
  for (let tries = 1; ; tries += 1) {
    const [job, found] = await Promise.all([jobs.get(id), concurrency.get(idOf(group), "")]);
    if (!job?.concurrency) return undefined;
    if (job.state !== "queued") {
      // The job got its message but was canceled before it ran: the slot goes to the next one.
      if (hasEnded(job)) await releaseSlot(deps, job);
      return undefined;
    }
    const now = nowMs();
    const stood = releaseExpiredSlots(found.group, now);
    if (tries > TRIES || !mayStart(stood, id, job.concurrency.limit)) {
      await registerWaiter(deps, job, job.concurrency.limit);
      return undefined;
    }
    const attempt = { ...newAttemptFields(now, worker), attempt: job.attempt + 1 };
    const asRead: Parameters<JobTable["claimParams"]>[2] = {
      and: [
        { attr: "state", eq: "queued" },
        { attr: "attempt", eq: job.attempt },
      ],
    };
    const claimed = jobs.claimParams(id, attempt, asRead);
    const parts = found.group.waiting ? [claimed, jobs.deleteParams(idOf(group), waitRef(job))] : [claimed];
    const taken = withTimer(startSlot(stood, id, now), now);
    const done = concurrency.replaceWith({ ...found, workspace: job.workspace }, taken, parts);
    if (await falseOnCollision(done)) return { ...job, ...attempt };
    await pause(tries);
  }
}

/** Registers a job that waits, then looks again: whoever frees a slot does so first and looks for waiting jobs after, so one sees the other. */
async function registerWaiter(deps: ConcurrencyDeps, job: Job, limit: number): Promise<void> {
  const group = idOf(job.concurrency?.group ?? "");
  await deps.jobs.putChild({ parent: group, ref: waitRef(job), expiresAtS: Math.ceil(job.expiresAtMs / 1000) });
  await admitNext(deps, group, job.workspace, (found) => ({ ...found, waiting: true }), limit);
}

/** Gives the slot of an ended job to the next waiting job. Repeating it changes nothing. */
export async function releaseSlot(deps: ConcurrencyDeps, job: Job): Promise<void> {
  if (!job.concurrency) return;
  const { group, windowS } = job.concurrency;
  if (job.attempt === 0) await deps.jobs.deleteItem(idOf(group), waitRef(job));
  await admitNext(deps, idOf(group), job.workspace, (found) => freeSlot(found, job.id, windowS));
}

/** Repairs a group: releases the slots of jobs that are gone and of notified jobs that never started, and removes a group that is no longer used. */
export async function reconcileGroup(deps: ConcurrencyDeps, id: string): Promise<void> {
  const { jobs, nowMs } = deps;
  const reap = async (group: Group) => {
    const running = group.slots.flatMap(({ state, job }) => (state === "running" ? [job] : []));
    const heads = new Map((await jobs.getMany(running)).map((job) => [job.id, job]));
    const mended = running.reduce((all, one) => {
      const job = heads.get(one);
      if (job?.state === "running") return all;
      return job?.state === "queued" ? returnSlot(all, one, nowMs()) : freeSlot(all, one, job?.concurrency?.windowS);
    }, group);
    // Should one still wait, looking again finds it.
    return { ...mended, waiting: false };
  };
  await admitNext(deps, id, "", reap);
}

/**
 * Changes a group, then reserves its free slots for the jobs that have waited longest and sends their messages. `limit` is that of a job that
 * was just registered: if all its slots are taken and other jobs wait already, there is nothing to do.
 */
async function admitNext(
  deps: ConcurrencyDeps,
  id: string,
  workspace: string,
  change: (group: Group) => Group | Promise<Group>,
  limit?: number,
): Promise<void> {
  const { jobs, concurrency, queue, nowMs } = deps;
  let asked: typeof change | undefined = change;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const found = await concurrency.get(id, workspace);
    const now = nowMs();
    const stood = releaseExpiredSlots(found.group, now);
    if (limit !== undefined && stood.waiting && isFull(stood, limit) && nextTimerMs(stood, now) === undefined) return;
    const changed = asked ? releaseExpiredSlots(await asked(stood), now) : stood;
    const waiters = !asked || stood.waiting || changed.waiting ? await waitingJobs(jobs, id, changed) : [];
    const {
      group,
      notified: told,
      next,
    } = reserveSlots({ ...changed, waiting: changed.waiting || waiters.length > 0 }, waiters.map(asWaiter), now);
    const endMs = next === undefined ? undefined : nextTimerMs(group, now);
    // One that is far off is housekeeping's to see.
    const timer = isSendable(endMs, now) ? endMs : undefined;
    const after = withTimer({ ...group, ...(timer === undefined ? {} : { timerMs: timer }) }, now);
    if (isSame(after, found)) return;
    if (!(await falseOnCollision(concurrency.replace(found, after)))) {
      await pause(tries);
      continue;
    }
    const tell = waiters.filter((job) => told.includes(job.id));
    const atEnd = waiters.filter((job) => job.id === next && timer !== undefined);
    await Promise.all([...tell.map((job) => queue.send(job)), ...atEnd.map((job) => queue.send(job, queueDelayS(timer, now)))]);
    // Slots may be free still, and somebody may have come to wait since: they saw the group as it was.
    if (!found.group.waiting && !after.waiting) return;
    if (next !== undefined) return;
    asked = undefined;
  }
}

const asWaiter = ({ id, concurrency }: Job) => ({ job: id, limit: concurrency?.limit ?? 0 });

/** Slots become free one by one: where more are, looking again finds who is to have them. */
const AT_ONCE = 5;

/** The first of those who wait and were not told yet. Those that wait no more, canceled or running, are forgotten on the way. */
async function waitingJobs(jobs: JobTable, id: string, { slots }: Group): Promise<Job[]> {
  const told = new Set(slots.flatMap(({ state, job }) => (state === "promised" ? [job] : [])));
  const atOnce = AT_ONCE + told.size;
  for (;;) {
    const found = await jobs.children(id, WAIT, atOnce);
    const untold = found.filter(({ ref }) => !told.has(jobOfRef(ref)));
    const heads = new Map((await jobs.getMany(untold.map(({ ref }) => jobOfRef(ref)))).map((job) => [job.id, job]));
    const waiting = untold.flatMap(({ ref }) => heads.get(jobOfRef(ref)) ?? []).filter(({ state }) => state === "queued");
    const ids = new Set(waiting.map((job) => job.id));
    await Promise.all(untold.filter(({ ref }) => !ids.has(jobOfRef(ref))).map(({ ref }) => jobs.deleteItem(id, ref)));
    if (waiting.length > 0 || found.length < atOnce) return waiting;
  }
}

function withTimer(group: Group, nowMs: number): Group {
  const { dueAtMs: _, ...rest } = group;
  const dueAtMs = groupDueAtMs(group, nowMs);
  return dueAtMs === undefined ? rest : { ...rest, dueAtMs };
}

const isSame = (group: Group, { group: found }: FoundGroup) => JSON.stringify(ordered(group)) === JSON.stringify(ordered(found));
const ordered = ({ slots, waiting, timerMs, dueAtMs }: Group) => [slots, waiting, timerMs, dueAtMs];

/** Returns false for a write that collided on every try: other writers were first. */
async function falseOnCollision(writing: Promise<boolean>): Promise<boolean> {
  try {
    return await writing;
  } catch (error) {
    if (isSvcError(error) && error.code === "write.collided") return false;
    throw error;
  }
}
