import { describe, expect, it } from "vitest";
import { beginRotation, continueRotation, endRotation, getRingVersion, type KeyRing } from "./key-ring.ts";

const ring: KeyRing = { current: 1, wrapped: { 1: "one" }, exportKey: "sealed" };

describe("a key ring", () => {
  it("retains the old data key during its replacement, and changes its version, so that writers that sealed with the old key are refused", () => {
    const begun = beginRotation(ring, { wrapped: "two", exportKey: "sealed again", by: "ann", atMs: 5000 });
    expect(begun).toMatchObject({ current: 2, wrapped: { 1: "one", 2: "two" }, exportKey: "sealed again", rotatingUntilMs: 65_000 });
    expect(getRingVersion(begun)).not.toBe(getRingVersion(ring));
    expect(getRingVersion(endRotation(begun))).toBe(getRingVersion(begun));
  });

  it("counts the secrets that are sealed again, and changes its version with each step, so that one process at a time continues", () => {
    const begun = beginRotation(ring, { wrapped: "two", exportKey: "e", by: "ann", atMs: 5000 });
    const first = continueRotation(begun, { left: 10, by: "ann", atMs: 6000 });
    expect(first.rotation).toMatchObject({ by: "ann", startedAtMs: 5000, total: 10, done: 0 });
    const second = continueRotation(first, { left: 4, by: "ann", atMs: 7000, isReleased: true });
    expect(second).toMatchObject({ rotatingUntilMs: 7000, rotation: { total: 10, done: 6 } });
    const taken = continueRotation(second, { by: "bob", atMs: 8000 });
    expect(taken).toMatchObject({ rotatingUntilMs: 68_000, rotation: { by: "ann", total: 10, done: 6 } });
    expect(new Set([begun, first, second, taken].map(getRingVersion)).size).toBe(4);
    const { rotation: _, ...ofEarlierRelease } = begun;
    expect(continueRotation(ofEarlierRelease, { left: 3, by: "bob", atMs: 9000 }).rotation).toMatchObject({ by: "bob", total: 3, done: 0 });
  });

  it("drops data keys only when every value is sealed again, and only old ones", () => {
    let turned = ring;
    for (let round = 2; round <= 30; round += 1)
      turned = beginRotation(turned, { wrapped: `key ${round}`, exportKey: "e", by: "ann", atMs: 0 });
    expect(Object.keys(turned.wrapped)).toHaveLength(30);
    const ended = endRotation(turned);
    expect(Object.keys(ended.wrapped)).toEqual(["21", "22", "23", "24", "25", "26", "27", "28", "29", "30"]);
    expect(ended.rotatingUntilMs).toBeUndefined();
  });
});
