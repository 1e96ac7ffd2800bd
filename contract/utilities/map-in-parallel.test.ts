import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { mapInParallel } from "./map-in-parallel.ts";

describe("mapInParallel", () => {
  it("calls in order, and never more at the same time than it may", async () => {
    const begun: number[] = [];
    let running = 0;
    let most = 0;
    await mapInParallel([1, 2, 3, 4, 5], 2, async (element) => {
      begun.push(element);
      most = Math.max(most, ++running);
      await turn();
      running -= 1;
    });
    expect([begun, most]).toEqual([[1, 2, 3, 4, 5], 2]);
  });

  it("begins no call after a failure, and throws the first error when the calls that had begun have ended", async () => {
    const begun: number[] = [];
    const ended: number[] = [];
    const failing = mapInParallel([1, 2, 3, 4], 3, async (element) => {
      begun.push(element);
      for (let turns = 0; turns < element * 3; turns += 1) await turn();
      ended.push(element);
      if (element < 3) throw new Error(`failure ${element}`);
    });
    await expect(failing).rejects.toThrow("failure 1");
    expect([begun, ended]).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });
});
