import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { computeRetryDelayS } from "./retry.ts";

describe("the delay before a retry", () => {
  it("is a number of at most six hours, whatever the author chose", () => {
    const any = fc.oneof(fc.constantFrom(0, 0.5, 1, 1e300, Number.MAX_SAFE_INTEGER), fc.double({ min: 0, max: 1e308, noNaN: true }));
    fc.assert(
      fc.property(any, any, fc.integer({ min: 0, max: 100 }), fc.integer({ min: 1, max: 1000 }), (seconds, multiplier, factor, failed) => {
        const exponential = { attempts: 1000, multiplier, seconds, random_factor: factor };
        for (const random of [0, 0.5, 1]) {
          for (const retry of [{ exponential }, { constant: { attempts: 1000, seconds } }]) {
            const delayS = computeRetryDelayS(retry, failed, random) ?? Number.NaN;
            expect([delayS >= 0, delayS <= 6 * 3600]).toEqual([true, true]);
          }
        }
      }),
      { examples: [[0.5, 2.826269988427086e-101, 100, 1]] },
    );
  });
});
