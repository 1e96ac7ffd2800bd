import { expect, it } from "vitest";
import { computeBackoffMs } from "./backoff.ts";

const backoff = { firstMs: 2000, maxMs: 300_000 };

it("the delay doubles with each try, up to the longest one", () => {
  expect([0, 1, 2, 3, 7, 8, 5000].map((tries) => computeBackoffMs(tries, backoff, 1))).toEqual([
    2000, 4000, 8000, 16_000, 256_000, 300_000, 300_000,
  ]);
});

it("the delay is at least half of its longest value", () => {
  expect([0, 0.5].map((random) => computeBackoffMs(2, backoff, random))).toEqual([4000, 6000]);
});

/** Simulates 50 workers with ten jobs each against the token bucket of `StartExecution`, in steps of 100 ms. */
function playBurst(jobs: number, bucket: { size: number; perS: number }) {
  const stepMs = 100;
  const waiting = Array.from({ length: jobs }, () => ({ atMs: 0, tries: 0, starts: 0 }));
  let random = 1;
  const next = () => {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
    return random / 2 ** 32;
  };
  let tokens = bucket.size;
  let nowMs = 0;
  for (let left = waiting; left.length > 0; nowMs += stepMs) {
    tokens = Math.min(bucket.size, tokens + (bucket.perS * stepMs) / 1000);
    for (const job of left.filter(({ atMs }) => atMs <= nowMs).slice(0, 500)) {
      if (tokens >= 1) {
        tokens -= 1;
        job.starts += 1;
      } else {
        job.atMs = nowMs + computeBackoffMs(job.tries, backoff, next());
        job.tries += 1;
      }
    }
    left = left.filter(({ starts }) => starts === 0);
  }
  return { seconds: nowMs / 1000, mostTries: Math.max(...waiting.map(({ tries }) => tries)), starts: waiting.map(({ starts }) => starts) };
}

it.each([
  ["large", { size: 1300, perS: 300 }, 400],
  ["other", { size: 800, perS: 150 }, 600],
])(
  "20,000 flows that begin at once each start exactly once, within minutes, in a %s region, and none is refused more than ten times",
  (_what, bucket, maxSeconds) => {
    const { seconds, mostTries, starts } = playBurst(20_000, bucket);
    expect(starts.every((times) => times === 1)).toBe(true);
    expect(seconds).toBeLessThan(maxSeconds);
    expect(mostTries).toBeLessThanOrEqual(10);
  },
);
