import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anEndedJob, aQueuedJob, aRunningJob } from "../../../test/builders/jobs.ts";
import { isJsonSubset, matchesJob, matchesList } from "./filter.ts";

describe("matchesList", () => {
  it.each([
    ["a,b", "b", true],
    ["a,b", "c", false],
    ["!a,!b", "c", true],
    ["!a,!b", "a", false],
    // A list that mixes both is not a negation: its members are used unchanged.
    ["!a,b", "b", true],
    ["!a,b", "c", false],
    ["", "c", true],
  ])("the list %j matches %s: %s", (filter, value, expected) => {
    expect(matchesList(filter, value)).toBe(expected);
  });

  it("the character * matches any text only if wildcards are allowed", () => {
    expect(matchesList("f/ops/*", "f/ops/hello", true)).toBe(true);
    expect(matchesList("f/ops/*", "f/ops/hello")).toBe(false);
    expect(matchesList("f/o.s/*", "f/ops/hello", true)).toBe(false);
    expect(matchesList("!f/ops/*", "f/ops/hello", true)).toBe(false);
    expect(matchesList("f/a/*,f/ops/*", "f/ops/hello", true)).toBe(true);
  });
});

describe("matchesJob", () => {
  it("jobs are found by one of their labels, and a negation leaves out those that have it", () => {
    const labelled = aQueuedJob({ labels: ["billing", "daily"] });
    const matches = (label: string) => [labelled, aQueuedJob()].map((job) => matchesJob(job, { label }, "all", 0));
    expect(matches("daily")).toEqual([true, false]);
    expect(matches("orders,billing")).toEqual([true, false]);
    expect(matches("!billing")).toEqual([false, true]);
    expect(matches("bill")).toEqual([false, false]);
  });

  const now = 10_000_000;
  const running = aRunningJob();
  const queued = aQueuedJob({ scheduledForMs: now + 1 });
  const failed = anEndedJob({ state: "failed" });
  const done = anEndedJob({ startedAtMs: 5_000, endedAtMs: 6_000 });
  const canceled = anEndedJob({ state: "canceled" });
  const jobs = { running, queued, failed, done, canceled };
  const which = (query: Parameters<typeof matchesJob>[1], scope: Parameters<typeof matchesJob>[2] = "all") =>
    Object.entries(jobs)
      .filter(([, job]) => matchesJob(job, query, scope, now))
      .map(([name]) => name);

  it("each job is in the queue or completed", () => {
    expect(which({}, "queue")).toEqual(["running", "queued"]);
    expect(which({}, "completed")).toEqual(["failed", "done", "canceled"]);
  });
  it("jobs are found by running, success and status", () => {
    expect(which({ running: true })).toEqual(["running"]);
    expect(which({ success: true })).toEqual(["done"]);
    expect(which({ success: false })).toEqual(["failed", "canceled"]);
    expect(which({ status: "failure,canceled" })).toEqual(["failed", "canceled"]);
    expect(which({ status: "!failure" })).toEqual(["done", "canceled"]);
  });
  it("jobs that are scheduled for later are omitted", () => {
    expect(which({ scheduled_for_before_now: true }, "queue")).toEqual(["running"]);
  });
  it("the filter by an earlier end includes its moment, and the filter by a later one does not", () => {
    const at = new Date(6_000).toISOString();
    expect(which({ completed_before: at })).toEqual(["done"]);
    expect(which({ completed_after: at })).toEqual(["failed", "canceled"]);
  });
});

describe("isJsonSubset", () => {
  it("every object contains each subset of its keys", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.string()), (value, keys) => {
        const part = Object.fromEntries(Object.entries(value).filter(([key]) => keys.includes(key)));
        return isJsonSubset(part, value) && isJsonSubset(value, value);
      }),
    );
  });
  it("nested objects are compared by key, and other values by equality", () => {
    expect(isJsonSubset({ a: { b: 1 } }, { a: { b: 1, c: 2 }, d: 3 })).toBe(true);
    expect(isJsonSubset({ a: [1] }, { a: [1, 2] })).toBe(false);
    expect(isJsonSubset({ a: { b: 1 } }, { a: null })).toBe(false);
    expect(isJsonSubset({ toString: 1 }, {})).toBe(false);
  });
});

describe("the filters of schedules", () => {
  const job = { ...aQueuedJob(), schedulePath: "f/ops/nightly", trigger: "schedule" };
  const matches = (query: object, of = job) => matchesJob(of, query as Parameters<typeof matchesJob>[1], "all", 0);

  it("find the runs of a schedule, or leave out those of all schedules", () => {
    expect(matches({ schedule_path: "f/ops/nightly" })).toBe(true);
    expect(matches({ schedule_path: "f/ops/other" })).toBe(false);
    expect(matches({ schedule_path: "f/ops/*", allow_wildcards: true })).toBe(true);
    expect(matches({ is_not_schedule: true })).toBe(false);
    expect(matches({ is_not_schedule: false })).toBe(true);
    expect(matches({ is_not_schedule: true }, aQueuedJob() as typeof job)).toBe(true);
    expect(matches({ schedule_path: "f/ops/nightly" }, aQueuedJob() as typeof job)).toBe(false);
  });
});
