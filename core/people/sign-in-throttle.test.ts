import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { computeWaitMs, countAttempt, forgottenAtMs, type SignInAttempts, throttleRules, uncountAttempt } from "./sign-in-throttle.ts";

const rule = throttleRules.account;
const failures = (count: number): SignInAttempts => ({ count, lastAtMs: 0 });

describe("the delay between sign-ins", () => {
  it("the first failures have no delay, and each further one doubles it up to the maximum", () => {
    const waits = [1, 4, 5, 6, 7, 8, 12, 13, 15, 16, 1000].map((count) => computeWaitMs(failures(count), rule, 0) / 1000);
    expect(waits).toEqual([0, 0, 1, 2, 4, 8, 128, 256, 1024, 1860, 1860]);
    expect(computeWaitMs(undefined, rule, 0)).toBe(0);
    expect(computeWaitMs(failures(6), rule, 1999)).toBe(1);
    expect(computeWaitMs(failures(6), rule, 2000)).toBe(0);
  });

  it("an attempt is forgotten after its time, and the clock of another process may be behind", () => {
    expect(countAttempt(failures(3), rule, 0).count).toBe(4);
    expect(countAttempt(failures(3), rule, rule.forgottenMs).count).toBe(3);
    expect(countAttempt(failures(3), rule, 100 * rule.forgottenMs).count).toBe(1);
    expect(countAttempt(failures(3), rule, -5000).count).toBe(4);
    expect(uncountAttempt(failures(1), rule, 0).count).toBe(0);
    expect(uncountAttempt(failures(0), rule, 0).count).toBe(0);
    expect(forgottenAtMs({ count: 2, lastAtMs: 7 }, rule)).toBe(7 + 2 * rule.forgottenMs);
  });

  it("an attacker who tries whenever a try is allowed gets a bounded number of tries", () => {
    for (const each of Object.values(throttleRules)) {
      fc.assert(
        fc.property(fc.array(fc.nat({ max: 30_000 }), { minLength: 1, maxLength: 400 }), (pauses) => {
          let attempts: SignInAttempts | undefined;
          let nowMs = 0;
          let tries = 0;
          for (const pauseMs of pauses) {
            nowMs += pauseMs + computeWaitMs(attempts, each, nowMs);
            attempts = countAttempt(attempts, each, nowMs);
            tries += 1;
          }
          // The free attempts, those while the delay grows, and then only as many as are forgotten.
          expect(tries).toBeLessThanOrEqual(each.free + 20 + nowMs / Math.min(each.forgottenMs, each.maxDelayMs));
        }),
      );
    }
  });

  // Cognito's own rule, as its developer guide describes it ("Lockout behavior for failed sign-in attempts").
  it.each([0, 20, 40, 120])(
    "a stranger who tries for a day and pauses for %d more minutes hardly keeps Cognito from accepting the user",
    (pauseMinutes) => {
      const quarterMs = 15 * 60_000;
      let attempts: SignInAttempts | undefined;
      let failed = 0;
      let lockedUntilMs = 0;
      let lastMs = 0;
      let lockedMs = 0;
      let lockedLaterMs = 0;
      for (let nowMs = 0; nowMs < 24 * 3_600_000; ) {
        attempts = countAttempt(attempts, rule, nowMs);
        if (nowMs >= Math.max(lastMs, lockedUntilMs) + quarterMs) failed = 0;
        lastMs = nowMs;
        if (nowMs >= lockedUntilMs) {
          failed += 1;
          const lockMs = failed < 5 ? 0 : Math.min(quarterMs, 1000 * 2 ** (failed - 5));
          lockedUntilMs = nowMs + lockMs;
          lockedMs += lockMs;
          if (nowMs > 2 * 3_600_000) lockedLaterMs += lockMs;
        }
        const waitMs = computeWaitMs(attempts, rule, nowMs);
        nowMs += Math.max(1, waitMs) + (waitMs > 60_000 ? pauseMinutes * 60_000 : 0);
      }
      expect(lockedMs).toBeLessThan(2 * 3_600_000);
      if (pauseMinutes === 0) expect(lockedLaterMs).toBe(0);
    },
  );

  it("no number of failures makes a person wait longer than the maximum", () => {
    fc.assert(
      fc.property(fc.nat(1e9), fc.nat(1e9), (count, lastAtMs) => {
        expect(computeWaitMs({ count, lastAtMs }, rule, lastAtMs)).toBeLessThanOrEqual(rule.maxDelayMs);
      }),
    );
  });
});
