import { expect, it } from "vitest";
import { runOutcomeSchema } from "../../contract/routes/jobs/run-outcome.ts";
import { changedAnswers, wholeAnswer } from "../../test/builders/runner-answers.ts";
import { parseRunnerAnswer } from "./runner-answer.ts";

it("an answer of a runner is returned as it was sent, with its numbers exact", () => {
  const text = JSON.stringify(wholeAnswer).replace('"result":1', '"result":[12345678901234567890,{"a":1.5}]');
  const answer = parseRunnerAnswer(text);
  expect(answer.kind).toBe("outcome");
  expect(JSON.stringify(answer.kind === "outcome" && answer.outcome)).toBe(text);
});

it("the report of a run keeps the fields of its error that shape a reply", () => {
  expect(runOutcomeSchema.parse(wholeAnswer).error).toEqual(wholeAnswer.error);
});

it.each(["", "null", "7", "{", "[]", "{}", '"success"', '{"outcome":"success"', `{"outcome":${"[".repeat(5000)}`, '{"a":1e999'])(
  "the answer %s is that of a lost runner",
  (text) => {
    expect(parseRunnerAnswer(text).kind).toBe("lost");
  },
);

it("only values of the same type, and missing fields that are optional, leave an answer valid", () => {
  const accepted = changedAnswers.filter(({ answer }) => parseRunnerAnswer(JSON.stringify(answer)).kind === "outcome");
  expect(accepted.length).toBeGreaterThan(50);
  // Scripts choose these values freely.
  const others = accepted.filter(({ path }) => !/(^|\.)(result|reply\.svc_status_code|preprocessed\.x)$/.test(path));
  const at = (by: (value: unknown) => boolean) => [
    ...new Set(others.filter(({ value }) => by(value)).map(({ path }) => path.replace("next.0.", ""))),
  ];
  const optional = ["resultUploaded", "error", "error.stack", "error.exit_code", "error.signal", "error.reply", "preprocessed"];
  expect(at((value) => value === undefined)).toEqual([...optional, "memPeakKb", "shared", "problem", "next"]);
  const numbers = ["error.exit_code", "timings.setupMs", "timings.runMs", "timings.totalMs"];
  expect(at((value) => typeof value === "number")).toEqual(numbers);
  expect(at((value) => typeof value === "string")).toEqual([
    ...["error.name", "error.message", "error.stack", "error.signal"],
    ...["logs.text", "problem"],
  ]);
  expect(at((value) => typeof value === "boolean")).toEqual(["timings.freshHost"]);
  expect(at((value) => typeof value === "object")).toEqual(["error.reply", "preprocessed", "next"]);
});
