import type { RunOutcome } from "../../runners/protocol.ts";

const run = {
  outcome: "success",
  result: 1,
  resultUploaded: { bytes: 5 },
  error: { name: "Error", message: "m", stack: "s", exit_code: 1, signal: "SIGTERM", reply: { svc_status_code: 418 } },
  preprocessed: { x: 1 },
  logs: { offset: 0, text: "a line\n" },
  memPeakKb: 1000,
  timings: { setupMs: 1, runMs: 2.5, totalMs: 3, freshHost: true },
} satisfies RunOutcome;

/** An answer of a runner with every field. */
export const wholeAnswer = {
  ...run,
  shared: { sha256: "0".repeat(64), bytes: 5 },
  problem: "p",
  next: [{ ...run, startedAtMs: 1, endedAtMs: 2 }],
} satisfies RunOutcome;

type Json = Record<string, unknown>;
/** A field that is missing, and values of each type, among them numbers that no table and no clock holds. */
const replacements = [undefined, null, true, "x", -1, 0.5, 1e300, [], [1], {}, { length: -1 }];

function pathsOf(value: object): string[][] {
  return Object.entries(value).flatMap(([name, each]: [string, unknown]) => [
    [name],
    ...(typeof each === "object" && each !== null ? pathsOf(each).map((path) => [name, ...path]) : []),
  ]);
}

function replace(value: unknown, [name = "", ...rest]: readonly string[], by: unknown): unknown {
  const copy = (Array.isArray(value) ? [...value] : { ...(value as Json) }) as Json;
  copy[name] = rest.length > 0 ? replace(copy[name], rest, by) : by;
  return copy;
}

/** Answers in which one field has another value, or is missing. Some of them are still valid. */
export const changedAnswers = pathsOf(wholeAnswer).flatMap((path) =>
  replacements.map((value) => ({ path: path.join("."), value, answer: replace(wholeAnswer, path, value) as Json })),
);
