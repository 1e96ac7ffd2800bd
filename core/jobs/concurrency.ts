import { createHash } from "node:crypto";
import * as z from "zod";
import { defined } from "../../contract/defined.ts";

/** The limit of a script version: simultaneous runs of one key, and starts within any window. */
export const concurrencyRuleSchema = z.object({
  limit: z.number(),
  windowS: z.number().optional(),
  key: z.string().optional(),
  /** The user or folder (`u/…`, `f/…`) whose runs share the key. Absent in versions of earlier releases, whose keys the whole workspace shares. */
  space: z.string().optional(),
});
export type ConcurrencyRule = z.infer<typeof concurrencyRuleSchema>;

/** The limit that a job has from its creation on. `group` is a hash, because the key may contain arguments. */
export const concurrencySchema = z.object({ group: z.string(), limit: z.number(), windowS: z.number().optional() });
export type Concurrency = z.infer<typeof concurrencySchema>;

/** A slot of a group. The head of the job shows whether a `running` slot is still in use. The other slots expire. */
const slotSchema = z.discriminatedUnion("state", [
  /** Reserved for a waiting job whose message was sent. */
  z.object({ state: z.literal("promised"), job: z.string(), untilMs: z.number() }),
  z.object({ state: z.literal("running"), job: z.string(), sinceMs: z.number() }),
  /** The run has ended, but its window has not. */
  z.object({ state: z.literal("cooling"), job: z.string(), untilMs: z.number() }),
]);
type Slot = z.infer<typeof slotSchema>;

export const groupSchema = z.object({
  slots: z.array(slotSchema),
  /** Jobs may be waiting. A process that frees a slot searches for them, and a new job queues behind them. */
  waiting: z.boolean(),
  /** The time at which a window ends and the first waiting job is notified. */
  timerMs: z.number().optional(),
  /** The time of the next housekeeping check. */
  dueAtMs: z.number().optional(),
});
export type Group = z.infer<typeof groupSchema>;

export const emptyGroup: Group = { slots: [], waiting: false };

/** A job that waits for a slot. */
export interface Waiter {
  job: string;
  limit: number;
}

/** The time for which a slot is reserved for a job whose message was sent: an upper bound for the delivery of a message. */
const PROMISE_MS = 60_000;
/** The interval of housekeeping checks of a group with waiting jobs. */
const LOOK_EVERY_MS = 60_000;

/** Replaces `$workspace` and `$args[name]` in a key: a string argument unchanged, any other argument as JSON. */
export function expandKey(template: string, workspace: string, args: Record<string, unknown>): string {
  return template.replace(/\$workspace\b|\$args\[([^\]]*)\]/g, (_, name: string | undefined) => {
    if (name === undefined) return workspace;
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  });
}

/** Returns the `u/<user>` or `f/<folder>` of a path. */
export const spaceOf = (path: string): string => path.split("/", 2).join("/");

/**
 * Returns the user or folder whose runs share a key: the one with which the key begins, otherwise that of the script or flow. The right to name another
 * one is checked when the version is saved.
 */
export const findKeySpace = (key: string, path: string): string => spaceOf(/^[uf]\/[\w-]+\//.test(key) ? key : path);

/** Returns the group of a run: its key within the folder, or its script if there is no key. */
export function resolveConcurrency(rule: ConcurrencyRule, workspace: string, path: string, args: Record<string, unknown>): Concurrency {
  const { limit, windowS, key, space } = rule;
  const name = key === undefined ? ["path", path] : ["key", expandKey(key, workspace, args), ...(space === undefined ? [] : [space])];
  const group = createHash("sha256")
    .update(JSON.stringify([workspace, ...name]))
    .digest("hex")
    .slice(0, 32);
  return { group, limit, ...defined({ windowS }) };
}

/** Removes the slots whose time has passed. */
export function releaseExpiredSlots(group: Group, nowMs: number): Group {
  return { ...group, slots: group.slots.filter((slot) => slot.state === "running" || slot.untilMs > nowMs) };
}

const slotOf = (group: Group, job: string): Slot | undefined => group.slots.find((slot) => slot.job === job && slot.state !== "cooling");
const without = (group: Group, job: string): Slot[] => {
  const ownSlot = slotOf(group, job);
  return group.slots.filter((slot) => slot !== ownSlot);
};

/** Returns whether a group has no free slot. */
export const isFull = (group: Group, limit: number) => group.slots.length >= limit;

/** Returns whether a job may run now: it has a slot, or a slot is free and no job waits. */
export function mayStart(group: Group, job: string, limit: number): boolean {
  return slotOf(group, job) !== undefined || (!group.waiting && !isFull(group, limit));
}

/** Marks the slot of a job as running. The start time of an earlier attempt remains. */
export function startSlot(group: Group, job: string, nowMs: number): Group {
  const ownSlot = slotOf(group, job);
  return {
    ...group,
    slots: [...without(group, job), { state: "running", job, sinceMs: ownSlot?.state === "running" ? ownSlot.sinceMs : nowMs }],
  };
}

/** Frees the slot of an ended job. With a window, the slot remains occupied until the window has passed. Idempotent. */
export function freeSlot(group: Group, job: string, windowS = 0): Group {
  const ownSlot = slotOf(group, job);
  if (!ownSlot) return group;
  const slots = without(group, job);
  if (ownSlot.state !== "running" || windowS === 0) return { ...group, slots };
  return { ...group, slots: [...slots, { state: "cooling", job, untilMs: ownSlot.sinceMs + windowS * 1000 }] };
}

/** Reserves the slot of a running job that waits in the queue again, for one minute. */
export function returnSlot(group: Group, job: string, nowMs: number): Group {
  return { ...group, slots: [...without(group, job), { state: "promised", job, untilMs: nowMs + PROMISE_MS }] };
}

/** Reserves free slots for waiting jobs in order of arrival. No job overtakes the first one. */
export function reserveSlots(
  group: Group,
  waiters: Waiter[],
  nowMs: number,
): { group: Group; notified: string[]; next: string | undefined } {
  const notified: string[] = [];
  let promised = group;
  for (const { job, limit } of waiters) {
    if (slotOf(promised, job)) continue;
    if (isFull(promised, limit)) return { group: promised, notified, next: job };
    promised = { ...promised, slots: [...promised.slots, { state: "promised", job, untilMs: nowMs + PROMISE_MS }] };
    notified.push(job);
  }
  return { group: promised, notified, next: undefined };
}

/**
 * The time at which a window ends and the first waiting job must be notified. `undefined` if a message is already scheduled or none is needed.
 */
export function nextTimerMs({ slots, waiting, timerMs }: Group, nowMs: number): number | undefined {
  const ends = slots.flatMap((slot) => (slot.state === "cooling" ? [slot.untilMs] : []));
  if (!waiting || ends.length === 0) return undefined;
  const atMs = Math.min(...ends);
  return timerMs !== undefined && timerMs > nowMs && timerMs <= atMs ? undefined : atMs;
}

/** Returns whether a group has no slots and no waiting jobs, so that its item can be deleted. */
export const isEmptyGroup = ({ slots, waiting }: Group) => slots.length === 0 && !waiting;

/**
 * Returns the time of the next housekeeping check: soon while jobs wait, otherwise when the last window has passed. The time changes as
 * rarely as possible, because an index contains it.
 */
export function groupDueAtMs({ slots, waiting, dueAtMs }: Group, nowMs: number): number | undefined {
  if (waiting) return dueAtMs !== undefined && dueAtMs > nowMs && dueAtMs <= nowMs + LOOK_EVERY_MS ? dueAtMs : nowMs + LOOK_EVERY_MS;
  const ends = slots.flatMap((slot) => (slot.state === "cooling" ? [slot.untilMs] : []));
  return ends.length === 0 ? undefined : Math.max(...ends);
}
