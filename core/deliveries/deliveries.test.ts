import { describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import { type Attempt, failedAttempt, refusedAttempt, sentAttempt } from "./attempt.ts";
import { decideClaim, type Progress, recordAttempt } from "./claim.ts";
import { isLastAttempt, nextAttemptAtMs, parseRetryAfterMs } from "./schedule.ts";

const S = 1000;

describe("the schedule of attempts", () => {
  const pauses = (id: string) => [1, 2, 3, 4, 5, 6, 7].map((attempts) => nextAttemptAtMs({ id, attempts, atMs: 1000 }) - 1000);
  const schedule = [5, 300, 1800, 7200, 18_000, 36_000, 36_000].map((seconds) => seconds * S);

  it("eight attempts follow each other after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, each within ten percent", () => {
    for (let n = 0; n < 500; n += 1) {
      for (const [index, pauseMs] of pauses(`id-${n}`).entries()) {
        expect(Math.abs(pauseMs - (schedule[index] ?? 0))).toBeLessThanOrEqual((schedule[index] ?? 0) * 0.1 + 1);
      }
    }
    expect([1, 7, 8, 9].map(isLastAttempt)).toEqual([false, false, true, true]);
  });

  it("deliveries that failed together are repeated at different times, and each time is always the same", () => {
    expect(pauses("a")).toEqual(pauses("a"));
    expect(new Set(Array.from({ length: 100 }, (_, n) => pauses(`id-${n}`)[1])).size).toBeGreaterThan(95);
  });

  it("the receiver can request a longer pause, up to a day, and no shorter one", () => {
    const nextMs = (retryAfterMs: number) => nextAttemptAtMs({ id: "a", attempts: 1, atMs: 0, retryAfterMs });
    expect(nextMs(60 * S)).toBe(60 * S);
    expect(nextMs(0)).toBe(pauses("a")[0]);
    expect(nextMs(1e12)).toBe(limits.retryAfterMs);
  });

  it.each([
    ["120", 120 * S],
    [" 5 ", 5 * S],
    ["Sun, 06 Nov 1994 08:49:37 GMT", 37 * S],
    ["Sun, 06 Nov 1994 08:48:00 GMT", 0],
    ["-5", undefined],
    ["1e9", undefined],
    ["soon", undefined],
    [undefined, undefined],
  ])("the header Retry-After: %s requests a pause of %j ms", (header, expected) => {
    expect(parseRetryAfterMs(header, Date.parse("1994-11-06T08:49:00Z"))).toBe(expected);
  });
});

describe("the claim of an attempt", () => {
  const HOLD = 40 * S;
  const decide = (found: Progress | undefined, due: { after: number; replay?: string }) =>
    decideClaim(found, { ...due, nowMs: 1000 }, HOLD);
  const held = (heldUntilMs: number): Progress => ({ state: "pending", attempts: 1, heldUntilMs });
  const retrying: Progress = { state: "retrying", attempts: 2, nextAtMs: 5000 };

  it.each([
    ["the first message", undefined, { after: 0 }, "claim", 1],
    ["a message whose record has expired", undefined, { after: 3 }, "claim", 4],
    ["a second message during the attempt", held(1001), { after: 0 }, "held", undefined],
    ["a message whose sender died", held(1000), { after: 0 }, "claim", 2],
    ["a message of a delivery that was sent", { state: "sent", attempts: 1 }, { after: 0 }, "done", undefined],
    ["a message of a delivery that failed", { state: "failed", attempts: 8 }, { after: 7 }, "done", undefined],
    ["the message of the next attempt", retrying, { after: 2 }, "claim", 3],
    ["the message of the attempt before", retrying, { after: 1 }, "requeue", undefined],
    ["a replay of a delivery that was sent", { state: "sent", attempts: 1 }, { after: 0, replay: "r" }, "claim", 2],
    ["a replay of a delivery that failed", { state: "failed", attempts: 8 }, { after: 0, replay: "r" }, "claim", 9],
    ["a replay of a delivery that waits for its next attempt", retrying, { after: 0, replay: "r" }, "claim", 3],
    ["a replay during an attempt", held(1001), { after: 0, replay: "r" }, "held", undefined],
    ["a replay that was sent", { state: "sent", attempts: 9, replay: { id: "r", after: 8 } }, { after: 0, replay: "r" }, "done", undefined],
    ["a replay that failed once", { ...retrying, replay: { id: "r", after: 1 } }, { after: 0, replay: "r" }, "requeue", undefined],
  ] as const)("%s leads to the expected decision", (_what, found, due, expected, attempts) => {
    const decision = decide(found as Progress | undefined, due);
    expect(decision.is).toBe(expected);
    if (decision.is === "claim") expect(decision.progress).toMatchObject({ attempts, heldUntilMs: 1000 + HOLD });
  });

  it("a message of the schedule that a replay has overtaken is done", () => {
    const replayed = decide(retrying, { after: 0, replay: "r" });
    if (replayed.is !== "claim") throw new Error("not claimed");
    const sent = recordAttempt(replayed.progress, sentAttempt, { id: "a", nowMs: 0 });
    expect(decide(sent, { after: 2 })).toEqual({ is: "done" });
  });
});

describe("the outcome of an attempt", () => {
  const outcome = (attempts: number, attempt: Attempt, replay?: Progress["replay"]) =>
    recordAttempt({ state: "pending", attempts, heldUntilMs: 1, ...(replay ? { replay } : {}) }, attempt, { id: "a", nowMs: 7 });

  it.each([
    ["one that succeeded", 1, sentAttempt, { state: "sent" }],
    ["one that failed", 1, failedAttempt("500"), { state: "retrying", nextAtMs: nextAttemptAtMs({ id: "a", attempts: 1, atMs: 7 }) }],
    ["the last one that may fail", 8, failedAttempt("500"), { state: "failed" }],
    ["one that would fail again", 1, refusedAttempt("no address"), { state: "failed" }],
  ] as const)("%s is recorded", (_what, attempts, attempt, expected) => {
    expect(outcome(attempts, attempt)).toEqual({ attempts, ...expected });
  });

  it("a replay has eight new attempts", () => {
    const replay = { id: "r", after: 8 };
    expect(outcome(9, failedAttempt("500"), replay)).toMatchObject({
      state: "retrying",
      nextAtMs: nextAttemptAtMs({ id: "a", attempts: 1, atMs: 7 }),
    });
    expect(outcome(16, failedAttempt("500"), replay)).toMatchObject({ state: "failed", replay });
  });
});
