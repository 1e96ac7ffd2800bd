import { expect, it } from "vitest";
import { describeError, SvcError } from "../errors.ts";
import { type RefusalName, refusalNames, refusals } from "./refusals.ts";

const expected: Record<RefusalName, { status: number; sentence: string }> = {
  sign_in: { status: 401, sentence: "Sign in to decide. This step requires an identified approver." },
  self: { status: 403, sentence: "You can't decide this request: you started this run." },
  not_approver: { status: 403, sentence: "You can't decide this request: you are not one of its approvers." },
  job_token: {
    status: 403,
    sentence: "You can't decide this request: a person must decide, and a job's token does not identify one.",
  },
};

it.each(refusalNames)("the refusal %s has a status, a sentence and a text on the approval page", (name) => {
  const { error, page } = refusals[name];
  expect(describeError(new SvcError(error.code, error.details))).toEqual(expected[name]);
  expect(page).toMatch(/\.$/);
});
