import { describe, expect, it } from "vitest";
import { countOutcome, findHandlerCalls, hasRecovered, NO_OUTCOMES } from "./schedule-outcomes.ts";

type Settings = Parameters<typeof findHandlerCalls>[0];

/** The handlers that are called after each of these ends (`x`: a failure, `o`: a success), with their counts. */
function callsOf(settings: Settings, ends: string): string[] {
  let count = NO_OUTCOMES;
  return [...ends].map((end, at) => {
    const succeeded = end === "o";
    const now = countOutcome(count, { succeeded, job: `job ${at}`, startedAtMs: at });
    count = hasRecovered(settings, now) ? NO_OUTCOMES : now;
    return findHandlerCalls(settings, succeeded, now)
      .map(({ name, times, failed }) => `${name.slice(3)} ${times}${failed ? ` after ${failed.job}` : ""}`)
      .join(", ");
  });
}

describe("the handlers of a schedule", () => {
  it.each<[string, Settings, string, string[]]>([
    ["on_failure after each failure", { on_failure: "script/f/a/b" }, "xxox", ["failure 1", "failure 2", "", "failure 1"]],
    [
      "on_failure from the third failure in a row on",
      { on_failure: "script/f/a/b", on_failure_times: 3 },
      "xxoxxxx",
      ["", "", "", "", "", "failure 3", "failure 4"],
    ],
    [
      "on_failure at exactly the second failure in a row",
      { on_failure: "script/f/a/b", on_failure_times: 2, on_failure_exact: true },
      "xxxoxx",
      ["", "failure 2", "", "", "", "failure 2"],
    ],
    [
      "on_recovery after one success that follows failures",
      { on_recovery: "script/f/a/b" },
      "oxxoo",
      ["", "", "", "recovery 1 after job 2", ""],
    ],
    [
      "on_recovery after two successes in a row, which another failure delays",
      { on_recovery: "script/f/a/b", on_recovery_times: 2 },
      "xoxooo",
      ["", "", "", "", "recovery 2 after job 2", ""],
    ],
    [
      "on_success after each success, with the failure before the first",
      { on_success: "script/f/a/b" },
      "oxoo",
      ["success 1", "", "success 1 after job 1", "success 1"],
    ],
    [
      "on_recovery before on_success",
      { on_success: "script/f/a/b", on_recovery: "script/f/a/c" },
      "xo",
      ["", "recovery 1 after job 0, success 1 after job 0"],
    ],
  ])("%s", (_, settings, ends, calls) => {
    expect(callsOf(settings, ends)).toEqual(calls);
  });
});
