import { expect, it } from "vitest";
import { pollMs } from "./polling.ts";

it("a page reads less often the longer nothing has changed", () => {
  expect([0, 9_999, 10_000, 60_000, 300_000, 86_400_000].map(pollMs)).toEqual([1_000, 1_000, 2_000, 5_000, 10_000, 10_000]);
});
