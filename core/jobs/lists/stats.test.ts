import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aQueuedJob } from "../../../test/builders/jobs.ts";
import type { Job } from "../record/job.ts";
import { buildStatsRange, countBuckets, summarizeJobs } from "./stats.ts";

const bucketMs = 60_000;
const range = { fromMs: 0, toMs: 10 * bucketMs, bucketMs };
const aJob = (fields: object) => aQueuedJob({ createdAtMs: 1000, ...fields }) as Job;
const ended = (durationMs: number, fields: object = {}) =>
  aJob({
    state: "succeeded",
    startedAtMs: 2000,
    endedAtMs: 2000 + durationMs,
    result: { in: "head", json: "1" },
    erased: false,
    ...fields,
  });

describe("statistics of jobs", () => {
  it.each<[string, Job]>([
    ["queued", aJob({})],
    ["scheduled", aJob({ scheduledForMs: 9e9 })],
    ["running", aJob({ state: "running", startedAtMs: 1 })],
    ["suspended", aJob({ state: "running", startedAtMs: 1, suspends: 1 })],
    ["awaiting_approval", aJob({ state: "running", startedAtMs: 1, suspends: 1, consents: 1 })],
    ["skipped", ended(1, { state: "skipped" })],
    ["canceled", ended(1, { state: "canceled" })],
  ])("count a job in the state %s", (state, job) => {
    expect(summarizeJobs([job], range, 5000)[0]?.counts).toEqual({ [state]: 1 });
  });

  it("have a bucket for each interval with jobs, and quantiles of durations from their start to their end", () => {
    const many = Array.from({ length: 100 }, (_, index) => ended(index + 1));
    const never = ended(0, { state: "canceled", startedAtMs: undefined, createdAtMs: bucketMs });
    expect(summarizeJobs([never, ...many, ended(5, { createdAtMs: range.toMs })], range, 5000)).toEqual([
      { start: "1970-01-01T00:00:00.000Z", counts: { succeeded: 100 }, p50_ms: 50, p95_ms: 95, max_ms: 100 },
      { start: "1970-01-01T00:01:00.000Z", counts: { canceled: 1 } },
    ]);
  });

  it("cover the requested times by whole buckets", () => {
    fc.assert(
      fc.property(fc.nat(1e6), fc.nat(1e6), fc.integer({ min: 1, max: 1e5 }), (start, length, each) => {
        const [fromMs, toMs] = [start, start + length];
        const built = buildStatsRange({ fromMs, toMs, bucketMs: each }, 200);
        expect(built.fromMs % each).toBe(0);
        expect(built.fromMs).toBeLessThanOrEqual(fromMs);
        expect(built.toMs).toBeGreaterThan(toMs);
        expect(countBuckets(built)).toBeLessThanOrEqual(length / each + 2);
        expect(countBuckets(buildStatsRange({ fromMs: undefined, toMs, bucketMs: each }, 200))).toBeLessThanOrEqual(200);
      }),
    );
  });
});
