import { describe, expect, it } from "vitest";
import { beginRotation, continueRotation, endRotation, getRingVersion, type KeyRing, MAX_UNREADABLE } from "./key-ring.ts";

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
    const first = continueRotation(begun, { left: 10, atMs: 6000 });
    expect(first.rotation).toMatchObject({ by: "ann", startedAtMs: 5000, total: 10, done: 0 });
    const second = continueRotation(first, { left: 4, after: "f/a", atMs: 7000, isReleased: true });
    expect(second).toMatchObject({ rotatingUntilMs: 7000, rotation: { total: 10, done: 6, after: "f/a" } });
    const taken = continueRotation(second, { atMs: 8000 });
    expect(taken).toMatchObject({ rotatingUntilMs: 68_000, rotation: { by: "ann", total: 10, done: 6, after: "f/a" } });
    expect(new Set([begun, first, second, taken].map(getRingVersion)).size).toBe(4);
    const { rotation: _, ...ofEarlierRelease } = begun;
    expect(continueRotation(ofEarlierRelease, { left: 3, atMs: 9000 }).rotation).toMatchObject({ by: "svc", total: 3, done: 0 });
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

  it("names the first unreadable secrets of the last rotation, and retains every data key because of them", () => {
    const wrapped = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [index + 1, "key"]));
    const begun = beginRotation({ ...ring, current: 30, wrapped }, { wrapped: "new", exportKey: "e", by: "ann", atMs: 0 });
    const first = continueRotation(begun, { unreadable: ["f/a"], atMs: 1 });
    const second = continueRotation(first, { unreadable: Array.from({ length: 200 }, (_, index) => `f/b${index}`), atMs: 2 });
    const ended = endRotation(second);
    expect(ended.unreadable).toHaveLength(MAX_UNREADABLE);
    expect(ended.unreadable?.slice(0, 2)).toEqual(["f/a", "f/b0"]);
    expect(Object.keys(ended.wrapped)).toHaveLength(31);
    const next = beginRotation(ended, { wrapped: "newer", exportKey: "e", by: "ann", atMs: 3 });
    expect(next.unreadable).toBeUndefined();
    expect(Object.keys(endRotation(next).wrapped)).toHaveLength(10);
  });
});
