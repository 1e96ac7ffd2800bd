import { expect, it } from "vitest";
import { limits } from "../../limits.ts";
import { runQuery } from "./runs.ts";

it("a time schedules a run no later than a delay can, so that each job expires", () => {
  const isAccepted = (scheduled_for: string) => runQuery.safeParse({ scheduled_for }).success;
  const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
  expect([at(60), at(-60), at(limits.maxDelayS - 60)].map(isAccepted)).toEqual([true, true, true]);
  expect([at(limits.maxDelayS + 60), "9999-12-31T23:59:59Z"].map(isAccepted)).toEqual([false, false]);
});
