import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { HeadCondition } from "../../../aws/dynamodb/job-items.ts";
import { defined } from "../../../contract/defined.ts";
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
import { buildListKey, hasEnded, type Job, type RunningJob } from "../../../core/jobs/record/job.ts";
import { isSendable, queueDelayS } from "../../../core/jobs/record/lifecycle.ts";
import type { FoundGroup } from "../../../ports/concurrency-store.ts";
import type { JobStore } from "../../../ports/job-store.ts";
import type { Uses } from "../../uses.ts";
import { newAttemptFields } from "../lifecycle/claim.ts";

/** The prefix of the table key of a group. The group's waiting jobs have the same partition key. */
const PREFIX = "limit#";
/** Returns whether a key of the table belongs to a group. */
export const isConcurrencyGroup = (id: string) => id.startsWith(PREFIX);
const toGroupId = (group: string) => `${PREFIX}${group}`;

const WAIT = "wait#";
/** Waiting jobs are sorted by their creation. */
const toWaiterRef = ({ createdAtMs, id }: Job) => `${WAIT}${buildListKey(createdAtMs, id)}`;
const jobIdFromRef = (ref: string) => ref.slice(ref.lastIndexOf("#") + 1);

/** Attempts of a write that loses to other writers. Each time, another writer made progress. */
const TRIES = 40;
const pause = (tries: number) => sleep(randomInt(Math.min(400, 20 * 2 ** tries)));

/**
 * Claims a queued job together with its slot, in one transaction: no run is without a slot, and no slot without its run. If no slot is
 * free, the job is registered as waiting and gets a message later. Returns `undefined` then, and if the job is no longer queued.
 */
export async function claimWithSlot(
  deps: Uses<"jobs" | "concurrency" | "queue" | "nowMs"> & { worker: string },
  id: string,
  group: string,
): Promise<RunningJob | undefined> {
  const { jobs, concurrency, nowMs, worker } = deps;
  for (let tries = 1; ; tries += 1) {
    const [job, found] = await Promise.all([jobs.get(id), concurrency.get(toGroupId(group), "")]);
    if (!job?.concurrency) return undefined;
    if (job.state !== "queued") {
      // The job got its message but was canceled before it ran: the slot goes to the next one.
      if (hasEnded(job)) await releaseSlot(deps, job);
      return undefined;
    }
    const now = nowMs();
    const current = releaseExpiredSlots(found.group, now);
    if (tries > TRIES || !mayStart(current, id, job.concurrency.limit)) {
      await registerWaiter(deps, job, job.concurrency.limit);
      return undefined;
    }
    const attempt = { ...newAttemptFields(now, worker), attempt: job.attempt + 1 };
    const asRead: HeadCondition = {
      and: [
        { attr: "state", eq: "queued" },
        { attr: "attempt", eq: job.attempt },
      ],
    };
    const claimed = jobs.claimParams(id, attempt, asRead);
    const parts = found.group.waiting ? [claimed, jobs.deleteParams(toGroupId(group), toWaiterRef(job))] : [claimed];
    const taken = withTimer(startSlot(current, id, now), now);
    const done = concurrency.replaceWith({ ...found, workspace: job.workspace }, taken, parts);
    if (await falseOnCollision(done)) return { ...job, ...attempt };
    await pause(tries);
  }
}

/**
 * Registers a waiting job, then checks the group again. A released slot is written before waiting jobs are read, so one of the two
 * processes sees the other.
 */
async function registerWaiter(deps: Uses<"jobs" | "concurrency" | "queue" | "nowMs">, job: Job, limit: number): Promise<void> {
  const group = toGroupId(job.concurrency?.group ?? "");
  await deps.jobs.putChild({ parent: group, ref: toWaiterRef(job), expiresAtS: Math.ceil(job.expiresAtMs / 1000) });
  await admitNext(deps, { id: group, workspace: job.workspace }, (found) => ({ ...found, waiting: true }), limit);
}

/** Passes the slot of an ended job to the next waiting job. Idempotent. */
export async function releaseSlot(deps: Uses<"jobs" | "concurrency" | "queue" | "nowMs">, job: Job): Promise<void> {
  if (!job.concurrency) return;
  const { group, windowS } = job.concurrency;
  if (job.attempt === 0) await deps.jobs.deleteItem(toGroupId(group), toWaiterRef(job));
  await admitNext(deps, { id: toGroupId(group), workspace: job.workspace }, (found) => freeSlot(found, job.id, windowS));
}

/** Repairs a group: releases the slots of jobs that are gone and of notified jobs that never started, and removes a group that is no longer used. */
export async function reconcileGroup(deps: Uses<"jobs" | "concurrency" | "queue" | "nowMs">, id: string): Promise<void> {
  const { jobs, nowMs } = deps;
  const releaseLostSlots = async (group: Group) => {
    const running = group.slots.flatMap(({ state, job }) => (state === "running" ? [job] : []));
    const heads = new Map((await jobs.batchGet(running)).map((job) => [job.id, job]));
    const repaired = running.reduce((all, one) => {
      const job = heads.get(one);
      if (job?.state === "running") return all;
      return job?.state === "queued" ? returnSlot(all, one, nowMs()) : freeSlot(all, one, job?.concurrency?.windowS);
    }, group);
    // If a job is still waiting, `admitNext` finds it.
    return { ...repaired, waiting: false };
  };
  await admitNext(deps, { id, workspace: "" }, releaseLostSlots);
}

/**
 * Changes a group, then reserves its free slots for the jobs that have waited longest and sends their messages. `limit` is that of a job that
 * was just registered: if all its slots are taken and other jobs wait already, there is nothing to do.
 */
async function admitNext(
  deps: Uses<"jobs" | "concurrency" | "queue" | "nowMs">,
  { id, workspace }: { id: string; workspace: string },
  change: (group: Group) => Group | Promise<Group>,
  limit?: number,
): Promise<void> {
  const { jobs, concurrency, queue, nowMs } = deps;
  let request: typeof change | undefined = change;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const found = await concurrency.get(id, workspace);
    const now = nowMs();
    const current = releaseExpiredSlots(found.group, now);
    if (limit !== undefined && current.waiting && isFull(current, limit) && nextTimerMs(current, now) === undefined) return;
    const changed = request ? releaseExpiredSlots(await request(current), now) : current;
    const waiters = !request || current.waiting || changed.waiting ? await loadWaitingJobs(jobs, id, changed) : [];
    const { group, notified, next } = reserveSlots(
      { ...changed, waiting: changed.waiting || waiters.length > 0 },
      waiters.map(toWaiter),
      now,
    );
    const endMs = next === undefined ? undefined : nextTimerMs(group, now);
    // Housekeeping handles a later timer.
    const timer = isSendable(endMs, now) ? endMs : undefined;
    const after = withTimer({ ...group, ...defined({ timerMs: timer }) }, now);
    if (isUnchanged(after, found)) return;
    if (!(await falseOnCollision(concurrency.replace(found, after)))) {
      await pause(tries);
      continue;
    }
    const notifiedJobs = waiters.filter((job) => notified.includes(job.id));
    const atEnd = waiters.filter((job) => job.id === next && timer !== undefined);
    await Promise.all([
      ...notifiedJobs.map((job) => queue.sendMessage(job)),
      ...atEnd.map((job) => queue.sendMessage(job, queueDelayS(timer, now))),
    ]);
    // More slots may be free, and jobs that registered in the meantime saw the old state of the group.
    if (!found.group.waiting && !after.waiting) return;
    if (next !== undefined) return;
    request = undefined;
  }
}

const toWaiter = ({ id, concurrency }: Job) => ({ job: id, limit: concurrency?.limit ?? 0 });

/** Slots are usually released one by one. If more are free, the next round finds their jobs. */
const AT_ONCE = 5;

/** Loads the first waiting jobs that were not notified yet, and removes the entries of jobs that are no longer queued. */
async function loadWaitingJobs(jobs: JobStore, id: string, { slots }: Group): Promise<Job[]> {
  const notified = new Set(slots.flatMap(({ state, job }) => (state === "promised" ? [job] : [])));
  const atOnce = AT_ONCE + notified.size;
  for (;;) {
    const found = await jobs.listChildren(id, WAIT, atOnce);
    const others = found.filter(({ ref }) => !notified.has(jobIdFromRef(ref)));
    const heads = new Map((await jobs.batchGet(others.map(({ ref }) => jobIdFromRef(ref)))).map((job) => [job.id, job]));
    const waiting = others.flatMap(({ ref }) => heads.get(jobIdFromRef(ref)) ?? []).filter(({ state }) => state === "queued");
    const ids = new Set(waiting.map((job) => job.id));
    await Promise.all(others.filter(({ ref }) => !ids.has(jobIdFromRef(ref))).map(({ ref }) => jobs.deleteItem(id, ref)));
    if (waiting.length > 0 || found.length < atOnce) return waiting;
  }
}

function withTimer(group: Group, nowMs: number): Group {
  const { dueAtMs: _, ...rest } = group;
  const dueAtMs = groupDueAtMs(group, nowMs);
  return dueAtMs === undefined ? rest : { ...rest, dueAtMs };
}

const isUnchanged = (group: Group, { group: found }: FoundGroup) =>
  JSON.stringify(comparableFields(group)) === JSON.stringify(comparableFields(found));
const comparableFields = ({ slots, waiting, timerMs, dueAtMs }: Group) => [slots, waiting, timerMs, dueAtMs];

/** Returns false for a write that collided in every attempt, because other writers were first. */
async function falseOnCollision(writing: Promise<boolean>): Promise<boolean> {
  try {
    return await writing;
  } catch (error) {
    if (isSvcError(error) && error.code === "write.collided") return false;
    throw error;
  }
}
