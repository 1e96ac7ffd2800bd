import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { classifyAwsError } from "../../aws/sdk/aws-errors.ts";
import { computeShard, type QueuedJob, SHARDS } from "../../core/jobs/record/job.ts";
import { aQueuedJob } from "../../test/builders/jobs.ts";
import { ItemIsolation } from "./item-isolation.ts";
import { type ResumeDueJobsDeps, resumeDueJobs } from "./resume-due-jobs.ts";
import { type PeriodicTask, runPeriodicTasks } from "./run-periodic-tasks.ts";

/** Times of AWS calls (ms), and the write capacity of one partition of the index `due`: 1,000 units a second, two for each change. */
const CALL_MS = 5;
const BATCH_MS = 10;
const CLAIM_MS = 2;
const MINUTE_MS = 60_000;

/** Simulated time. It advances when there is nothing else to do. */
function simulatedTime() {
  const events: { atMs: number; resolve: () => void }[] = [];
  let isRunning = true;
  const move = async () => {
    while (isRunning) {
      await new Promise(setImmediate);
      let first = 0;
      for (let index = 1; index < events.length; index += 1) if ((events[index]?.atMs ?? 0) < (events[first]?.atMs ?? 0)) first = index;
      const [next] = events.splice(first, 1);
      if (!next) continue;
      vi.setSystemTime(Math.max(Date.now(), next.atMs));
      next.resolve();
    }
  };
  return {
    move,
    stop: () => {
      isRunning = false;
    },
    until: (atMs: number) => new Promise<void>((resolve) => events.push({ atMs, resolve })),
  };
}

/** A model of the tables and the queue that takes the time of AWS calls and counts them. */
function modelOfAws(count: number, time: ReturnType<typeof simulatedTime>) {
  const nowMs = Date.now();
  const jobs = Array.from({ length: count }, () => ({ job: aQueuedJob({ createdAtMs: nowMs - MINUTE_MS }), dueAtMs: nowMs }));
  const byId = new Map(jobs.map((one) => [one.job.id, one]));
  const shards = Array.from({ length: SHARDS }, (_, shard) => jobs.filter(({ job }) => computeShard(job.id) === shard));
  const free = shards.map(() => 0);
  const calls: Record<string, number> = {};
  const sent = new Map<string, number>();
  const call = async (name: string, untilMs: number) => {
    calls[name] = (calls[name] ?? 0) + 1;
    await time.until(untilMs);
  };
  const deps = {
    nowMs: Date.now,
    jobs: {
      async listDuePage(shard: number, untilMs: number, { limit, after }: { limit: number; after?: { at: number } }) {
        await call("Query", Date.now() + CALL_MS);
        const all = shards[shard] ?? [];
        const entries = [];
        let at = after?.at ?? 0;
        for (; at < all.length && entries.length < limit; at += 1) {
          const { job, dueAtMs } = all[at] as (typeof all)[number];
          if (dueAtMs <= untilMs) entries.push({ id: job.id, ref: "job", workspace: job.workspace, dueAtMs });
        }
        return { entries, after: at < all.length ? { at } : undefined };
      },
      async batchGet(ids: string[]): Promise<QueuedJob[]> {
        await call("BatchGetItem", Date.now() + CALL_MS);
        return ids.flatMap((id) => byId.get(id)?.job ?? []);
      },
      async update(id: string, { dueAtMs }: { dueAtMs: number }, { and }: { and: { attr: string; eq: unknown }[] }) {
        const shard = computeShard(id);
        const startMs = Math.max(Date.now(), free[shard] ?? 0);
        free[shard] = startMs + CLAIM_MS;
        await call("UpdateItem", startMs + CALL_MS);
        const found = byId.get(id);
        if (!found || and.some(({ attr, eq }) => attr === "dueAtMs" && eq !== found.dueAtMs)) return undefined;
        found.dueAtMs = dueAtMs;
        return found.job;
      },
    },
    queue: {
      async sendMessages(messages: { job: { id: string } }[]) {
        calls["SendMessageBatch"] = (calls["SendMessageBatch"] ?? 0) + Math.ceil(messages.length / 10);
        await time.until(Date.now() + BATCH_MS);
        for (const { job } of messages) {
          sent.set(job.id, (sent.get(job.id) ?? 0) + 1);
          const found = byId.get(job.id);
          // A worker takes it.
          if (found) found.dueAtMs = Number.POSITIVE_INFINITY;
        }
        return [];
      },
    },
    isolation: new ItemIsolation({
      classifyAwsError,
      objects: { list: async () => [], put: async () => true, transactWrite: async () => undefined },
      nowMs: Date.now,
      onItemFailed: (_, error) => expect.fail(String(error)),
    }),
  };
  return { calls, sent, deps: deps as unknown as ResumeDueJobsDeps };
}

describe("resumeDueJobs in simulated time", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: 1_800_000_000_000 }));
  afterEach(() => void vi.useRealTimers());

  it("sends 100,000 jobs that are due at once within five minutes, although all other tasks always have work", {
    timeout: 120_000,
  }, async () => {
    const time = simulatedTime();
    const { calls, sent, deps } = modelOfAws(100_000, time);
    const workspaces = new Set(["demo"]);
    const starts = Date.now();
    const others = Array.from(
      { length: 6 },
      (_, index): PeriodicTask => ({
        name: `other${index}`,
        run: async (untilMs) => {
          await time.until(untilMs);
          return { [`other${index}`]: 1 };
        },
      }),
    );
    const moving = time.move();
    for (let minute = 0; minute < 5 && sent.size < 100_000; minute += 1) {
      await time.until(starts + minute * MINUTE_MS);
      const due: PeriodicTask = {
        name: "due",
        share: 4,
        run: async (untilMs) => ({ ...(await resumeDueJobs(deps, workspaces, untilMs)) }),
      };
      const { counts, failed } = await runPeriodicTasks([due, ...others], {
        untilMs: Date.now() + 40_000,
        turn: minute,
        onTaskFailed: (name, error) => expect.fail(`${name}: ${String(error)}`),
      });
      expect(failed).toEqual([]);
      for (const { name } of others) expect(counts[name]).toBeGreaterThan(0);
    }
    const tookMs = Date.now() - starts;
    time.stop();
    await moving;
    expect(sent.size).toBe(100_000);
    expect([...sent.values()].every((times) => times === 1)).toBe(true);
    expect(tookMs).toBeLessThan(5 * MINUTE_MS);
    // For each job: one write, a tenth of a call of the queue, and a hundredth of two reads.
    expect(calls["UpdateItem"]).toBe(100_000);
    expect(calls["SendMessageBatch"]).toBeLessThan(10_700);
    expect((calls["Query"] ?? 0) + (calls["BatchGetItem"] ?? 0)).toBeLessThan(2_700);
  });
});
