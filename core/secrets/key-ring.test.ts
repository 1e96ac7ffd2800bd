import { describe, expect, it } from "vitest";
import { beginRotation, endRotation, getRingVersion, type KeyRing } from "./key-ring.ts";

const ring: KeyRing = { current: 1, wrapped: { 1: "one" }, exportKey: "sealed" };

describe("a key ring", () => {
  it("retains the old data key during its replacement, and changes its version, so that writers that sealed with the old key are refused", () => {
    const begun = beginRotation(ring, "two", "sealed again", 5000);
    expect(begun).toEqual({ current: 2, wrapped: { 1: "one", 2: "two" }, exportKey: "sealed again", rotatingUntilMs: 5000 });
    expect(getRingVersion(begun)).not.toBe(getRingVersion(ring));
    expect(getRingVersion(endRotation(begun))).toBe(getRingVersion(begun));
  });

  it("drops data keys only when every value is sealed again, and only old ones", () => {
    let turned = ring;
    for (let round = 2; round <= 30; round += 1) turned = beginRotation(turned, `key ${round}`, "e", 0);
    expect(Object.keys(turned.wrapped)).toHaveLength(30);
    const ended = endRotation(turned);
    expect(Object.keys(ended.wrapped)).toEqual(["21", "22", "23", "24", "25", "26", "27", "28", "29", "30"]);
    expect(ended.rotatingUntilMs).toBeUndefined();
  });
});
