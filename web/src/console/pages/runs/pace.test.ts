import { describe, expect, it } from "vitest";
import { firstPace, nextPace } from "./pace.ts";

const HOUR_MS = 3_600_000;

/** The number of reads in an hour with a list that changes before each read, or never. */
function countReads(isBusy: boolean): number {
  let [reads, atMs, pace] = [0, 0, firstPace];
  while (atMs < HOUR_MS) {
    reads += 1;
    pace = nextPace(pace, isBusy ? String(reads) : "", atMs);
    atMs += pace.everyMs;
  }
  return reads;
}

describe("the pace of reads of the newest runs", () => {
  it("is fast after a change, and slows down while nothing changes", () => {
    const slower = nextPace({ everyMs: 4000, found: "a" }, "a", 0);
    expect(slower.everyMs).toBe(6000);
    expect(nextPace({ everyMs: 25_000, found: "a" }, "a", 0).everyMs).toBe(30_000);
    expect(nextPace(slower, "b", 0).everyMs).toBe(4000);
  });

  it("limits the reads of an hour, also in a list that changes all the time", () => {
    expect(countReads(false)).toBeLessThan(130);
    expect(countReads(true)).toBeLessThan(370);
  });
});
