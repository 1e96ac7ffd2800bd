import { expect, it } from "vitest";
import { decideFirst, listConflicts, mergeTexts } from "./merge-texts.ts";

const base = "a\nb\nc\nd\ne\n";
const versions = { base, theirs: "a\nB of theirs\nc\nd\ne\n", mine: "a\nB of mine\nc\nd\ne, mine\n" };

it("changes in different lines are merged, and an equal change of both counts once", () => {
  const merged = mergeTexts({ base, theirs: "A\nb\nc\nd\nE\n", mine: "a\nb\nC\nd\nE\n" });
  expect(merged).toBe("A\nb\nC\nd\nE\n");
  expect(listConflicts(merged)).toEqual([]);
});

it("a merged text contains the lines of both versions where these change the same lines", () => {
  const merged = mergeTexts(versions);
  expect(listConflicts(merged)).toEqual([{ mine: 1, between: 3, theirs: 5 }]);
  expect(decideFirst(merged, "mine")).toBe(versions.mine);
  expect(decideFirst(merged, "theirs")).toBe("a\nB of theirs\nc\nd\ne, mine\n");
  expect(decideFirst(merged, "both")).toBe("a\nB of mine\nB of theirs\nc\nd\ne, mine\n");
  expect(decideFirst("a\n=======\n", "mine")).toBe("a\n=======\n");
});

it("a version that does not change the text that both began from loses nothing of the other", () => {
  expect(mergeTexts({ base, theirs: base, mine: "x" })).toBe("x");
  expect(mergeTexts({ base, theirs: "x", mine: base })).toBe("x");
  expect(mergeTexts({ theirs: "x\ny", mine: "x\ny" })).toBe("x\ny");
});
