import { describe, expect, it } from "vitest";
import type { RunOutcome } from "../../runners/protocol.ts";
import { aQueuedJob, aRunningJob } from "../../test/builders/jobs.ts";
import { firstDueMs, isHighPriority, isLost, mayRetryLoss, queueDelayS, toEnding, toJobMessage } from "./lifecycle.ts";

const outcome = (fields: Partial<RunOutcome>): RunOutcome => ({
  outcome: "success",
  logs: { offset: 0, text: "" },
  timings: { setupMs: 0, runMs: 0, totalMs: 0, freshHost: true },
  ...fields,
});

describe("endingOf", () => {
  it("keeps a success that came in before a cancellation took hold", () => {
    const job = aRunningJob({ cancel: { by: "ann", reason: "too slow" } });
    expect(toEnding(job, outcome({ result: { a: 1 } }))).toEqual({ state: "succeeded", resultJson: '{"a":1}' });
  });

  it("makes null of a result that is not there", () => {
    expect(toEnding(aRunningJob(), outcome({}))).toEqual({ state: "succeeded", resultJson: "null" });
  });

  it("answers a killed run of a canceled job as canceled, naming who and why", () => {
    const job = aRunningJob({ cancel: { by: "ann", reason: "too slow" } });
    expect(toEnding(job, outcome({ outcome: "killed" }))).toEqual({
      state: "canceled",
      resultJson: '{"error":{"name":"Canceled","message":"Canceled by ann: too slow"}}',
    });
  });

  it("a killed run that was not canceled has failed", () => {
    expect(toEnding(aRunningJob(), outcome({ outcome: "killed" })).state).toBe("failed");
  });

  it("names the limit when the time ran out", () => {
    expect(toEnding(aRunningJob({ timeoutS: 7 }), outcome({ outcome: "timeout" })).resultJson).toContain("limit of 7 s");
  });

  it("gives every failure an error object, also one without a reason", () => {
    expect(JSON.parse(toEnding(aRunningJob(), outcome({ outcome: "failure" })).resultJson)).toHaveProperty("error.message");
  });
});

describe("leases", () => {
  it("counts a job as lost ten seconds after its lease, not before", () => {
    const job = aRunningJob({ leaseUntilMs: 50_000 });
    expect(isLost(job, 59_999)).toBe(false);
    expect(isLost(job, 60_000)).toBe(true);
  });

  it("allows three attempts in all", () => {
    expect([0, 1, 2].map((losses) => mayRetryLoss(aRunningJob({ losses })))).toEqual([true, true, false]);
  });

  it("looks at a job first when its message or first lease must have been used", () => {
    expect(firstDueMs(1_000)).toBe(76_000);
    expect(firstDueMs(1_000, 500_000)).toBe(575_000);
  });
});

describe("a job's message", () => {
  it("names its group only where it has one: a job without a limit is claimed as ever", () => {
    expect(toJobMessage(aQueuedJob({ id: "a", hash: "h" }))).toEqual({ job: "a", hash: "h" });
    expect(toJobMessage(aQueuedJob({ id: "a", hash: "h", concurrency: { group: "g", limit: 2 } }))).toEqual({
      job: "a",
      hash: "h",
      group: "g",
    });
  });

  it("goes through the high queue with a priority above 0, and through the other one else", () => {
    expect([undefined, 0, 1, 100].map((priority) => isHighPriority(priority === undefined ? {} : { priority }))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });
});

describe("queueDelayS", () => {
  it("holds a message back to the whole second after its time, for at most a quarter of an hour", () => {
    expect(queueDelayS(undefined, 0)).toBe(0);
    expect(queueDelayS(1_000, 2_000)).toBe(0);
    expect(queueDelayS(1_001, 0)).toBe(2);
    expect(queueDelayS(5_000_000, 0)).toBe(900);
  });
});
