import { describe, expect, it } from "vitest";
import type { RunOutcome } from "../../../runners/protocol.ts";
import { aQueuedJob, aRunningJob } from "../../../test/builders/jobs.ts";
import { firstDueMs, isHighPriority, isLost, mayRetryLoss, queueDelayS, toEnding, toJobMessage } from "./lifecycle.ts";

const outcome = (fields: Partial<RunOutcome>): RunOutcome => ({
  outcome: "success",
  logs: { offset: 0, text: "" },
  timings: { setupMs: 0, runMs: 0, totalMs: 0, freshHost: true },
  ...fields,
});

describe("ends of jobs", () => {
  it("a success before the effect of a cancellation counts", () => {
    const job = aRunningJob({ cancel: { by: "ann", reason: "too slow" } });
    expect(toEnding(job, outcome({ result: { a: 1 } }))).toEqual({ state: "succeeded", resultJson: '{"a":1}' });
  });

  it("a missing result is null", () => {
    expect(toEnding(aRunningJob(), outcome({}))).toEqual({ state: "succeeded", resultJson: "null" });
  });

  it("a killed run of a canceled job is canceled with user and reason", () => {
    const job = aRunningJob({ cancel: { by: "ann", reason: "too slow" } });
    expect(toEnding(job, outcome({ outcome: "killed" }))).toEqual({
      state: "canceled",
      resultJson: '{"error":{"name":"Canceled","message":"Canceled by ann: too slow"}}',
    });
  });

  it("a killed run that was not canceled has failed", () => {
    expect(toEnding(aRunningJob(), outcome({ outcome: "killed" })).state).toBe("failed");
  });

  it("a timeout contains the limit", () => {
    expect(toEnding(aRunningJob({ timeoutS: 7 }), outcome({ outcome: "timeout" })).resultJson).toContain("limit of 7 s");
  });

  it("every failure has an error object, also without a reason", () => {
    expect(JSON.parse(toEnding(aRunningJob(), outcome({ outcome: "failure" })).resultJson)).toHaveProperty("error.message");
  });
});

describe("leases", () => {
  it("a job counts as lost ten seconds after its lease and not before", () => {
    const job = aRunningJob({ leaseUntilMs: 50_000 });
    expect(isLost(job, 59_999)).toBe(false);
    expect(isLost(job, 60_000)).toBe(true);
  });

  it("a job has at most three attempts", () => {
    expect([0, 1, 2].map((losses) => mayRetryLoss(aRunningJob({ losses })))).toEqual([true, true, false]);
  });

  it("the first check of a job follows the latest use of its message or first lease", () => {
    expect(firstDueMs(1_000)).toBe(76_000);
    expect(firstDueMs(1_000, 500_000)).toBe(575_000);
  });
});

describe("a job's message", () => {
  it("the message contains a group only for a job with a limit", () => {
    expect(toJobMessage(aQueuedJob({ id: "a", hash: "h" }))).toEqual({ job: "a", hash: "h" });
    expect(toJobMessage(aQueuedJob({ id: "a", hash: "h", concurrency: { group: "g", limit: 2 } }))).toEqual({
      job: "a",
      hash: "h",
      group: "g",
    });
  });

  it("a priority above 0 selects the high-priority queue", () => {
    expect([undefined, 0, 1, 100].map((priority) => isHighPriority(priority === undefined ? {} : { priority }))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });
});

describe("queueDelayS", () => {
  it("a message is delayed to the second after its time, for at most 15 minutes", () => {
    expect(queueDelayS(undefined, 0)).toBe(0);
    expect(queueDelayS(1_000, 2_000)).toBe(0);
    expect(queueDelayS(1_001, 0)).toBe(2);
    expect(queueDelayS(5_000_000, 0)).toBe(900);
  });
});
