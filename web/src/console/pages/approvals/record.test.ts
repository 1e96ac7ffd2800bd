import { describe, expect, it } from "vitest";
import { addVerified, distinctEntries, whoDecided } from "./record.ts";

const digest = "0".repeat(64);
const entry = (root: string, n: number) =>
  ({
    n,
    prev: digest,
    hash: digest,
    workspace: "w",
    root,
    flow: root,
    gate: "g",
    module: "ask",
    what: "approved",
    decides: true,
    who: { name: "ann", email: "ann@example.com" },
    atMs: 0,
  }) as const;

describe("distinctEntries", () => {
  it("leaves out entries that the previous page has shown, and no others", () => {
    const shown = distinctEntries([entry("a", 2), entry("b", 1), entry("b", 1), entry("a", 1)]);
    expect(shown.map(({ root, n }) => `${root}${n}`)).toEqual(["a2", "b1", "a1"]);
  });
});

describe("whoDecided", () => {
  it("returns the person, and a text for a link or a timeout", () => {
    expect(whoDecided(entry("a", 1))).toBe("ann (ann@example.com)");
    expect(whoDecided({ what: "approved", who: { email: "bob@example.com" } })).toBe("bob@example.com");
    expect(whoDecided({ what: "rejected", who: { resumeId: 7 } })).toBe("the holder of a link");
    expect(whoDecided({ what: "expired", who: {} })).toBe("nobody");
  });
});

describe("addVerified", () => {
  const anchors = { count: 1, signatures: 1 };
  it("adds runs and faults, and keeps the fault of the anchors once", () => {
    const anchorFault = { n: 1, why: "signature" } as const;
    const first = addVerified(undefined, { ok: false, runs: 2, entries: 3, faults: [anchorFault], anchors, next: "r2" });
    const sum = addVerified(first, { ok: true, runs: 1, entries: 1, faults: [anchorFault, { run: "r3", n: 1, why: "changed" }], anchors });
    expect(sum).toEqual({ ok: false, runs: 3, entries: 4, faults: [anchorFault, { run: "r3", n: 1, why: "changed" }], anchors });
  });
});
