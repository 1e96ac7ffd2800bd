import { expect, it } from "vitest";
import { causeOf } from "./cause.ts";
import type { RunJob } from "./use-run.ts";

const ended = (success: boolean, result: unknown) => ({ type: "CompletedJob", success, result }) as RunJob;
const failed = (result: unknown) => ended(false, result);
const error = { name: "TypeError", message: "x is not a function", step_id: "b" };

it("the cause of a failed run is its error, or the first error of a loop's results", () => {
  const cause = { name: "TypeError", message: "x is not a function", step: "b" };
  expect(causeOf(failed({ error }))).toEqual(cause);
  expect(causeOf(failed([{ ok: 1 }, { error }]))).toEqual(cause);
  expect(causeOf(failed({ error: { message: "no" } }))).toEqual({ name: "", message: "no", step: undefined });
  expect(causeOf(failed("text"))).toBeUndefined();
  expect(causeOf(ended(true, { error }))).toBeUndefined();
});
