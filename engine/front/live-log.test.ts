import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { env } from "../../contract/env.ts";
import { triggerKinds } from "../../contract/routes/triggers/trigger-kind.ts";
import type { EndedJobReport } from "../../core/telemetry/telemetry.ts";
import { appendEndedRun, type EndedRun } from "../../functions/shared/reply/ended-run.ts";
import { createOrderedPrinter, endedLine, errorText, followEndedRuns } from "./ended-runs.ts";
import type { FrontEvent } from "./front.ts";
import { liveLine } from "./live-log.ts";

const at = new Date(2026, 0, 2, 12, 3, 11);
const anEvent = (event: Partial<FrontEvent>): FrontEvent => ({
  method: "POST",
  path: "/",
  status: 200,
  ms: 31.4,
  ...event,
});

describe("liveLine", () => {
  it("the line names a refused run and its status, because it has no end", () => {
    const path = "/api/w/demo/jobs/run/p/f/examples/none";
    expect(liveLine(anEvent({ path, status: 404 }), at)).toBe("12:03:11 demo f/examples/none refused: 404");
    expect(liveLine(anEvent({ path: "/api/w/demo/jobs/run_wait_result/f/f/a%20b", status: 422 }), at)).toBe(
      "12:03:11 demo f/a b refused: 422",
    );
  });

  it("the log omits accepted runs and other calls unless the service failed", () => {
    expect(liveLine(anEvent({ path: "/api/w/demo/jobs/run/p/f/a", status: 201 }), at)).toBeUndefined();
    expect(liveLine(anEvent({ method: "GET", path: "/api/version" }), at)).toBeUndefined();
    expect(liveLine(anEvent({ path: "/api/internal/jobs/x/beat" }), at)).toBeUndefined();
    expect(liveLine(anEvent({ method: "GET", path: "/api/version", status: 502 }), at)).toBe("12:03:11 GET /api/version 31 ms 502");
  });
});

describe("endedLine", () => {
  const run: EndedRun = { id: "0197", workspace: "demo", kind: "script", path: "f/a", state: "succeeded", trigger: "webhook", ms: 31.4 };
  it.each<[string, Partial<EndedRun>, string | undefined]>([
    ["a run", {}, "demo f/a succeeded 31 ms, webhook 0197"],
    ["a run of a schedule", { trigger: "schedule", triggerPath: "f/often" }, "demo f/a succeeded 31 ms, schedule f/often 0197"],
    ["a preview", { path: undefined, ms: 12_400 }, "demo preview succeeded 12 s, webhook 0197"],
    ["a flow that took days", { kind: "flow", ms: 3 * 24 * 3600_000 }, "demo f/a succeeded 72 h, webhook 0197"],
    ["a canceled run", { state: "canceled" }, "demo f/a canceled 31 ms, webhook 0197"],
    ["a step that succeeded", { step: "c", flow: "f/pay" }, undefined],
    [
      "a step that failed and may be retried",
      { step: "c", flow: "f/pay", state: "failed" },
      "demo step c of f/pay failed 31 ms, webhook 0197",
    ],
    ["a build that succeeded", { kind: "dependencies" }, undefined],
    ["a build that failed", { kind: "flowdependencies", state: "failed" }, "demo f/a failed 31 ms, webhook 0197"],
  ])("the end of %s has the expected line", (_what, more, line) => {
    expect(endedLine({ ...run, ...more }, at)).toBe(line === undefined ? undefined : `12:03:11 ${line}`);
  });

  it("the line ends with the reason of a failure, in one line of limited length", () => {
    const reason = errorText({ error: { name: "TypeError", message: "no answer\nat main" } });
    expect(endedLine({ ...run, state: "failed" }, at, reason)).toBe("12:03:11 demo f/a failed 31 ms, webhook 0197 TypeError: no answer");
    expect(errorText({ error: { name: "Error", message: "x".repeat(1000) } })).toHaveLength(207);
    expect([errorText(null), errorText("text"), errorText({})]).toEqual(["", "", ""]);
  });
});

describe("the end of a run that a trigger started", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "svc-ended-"));
    vi.stubEnv(env.endedRuns, join(folder, "ended-runs.jsonl"));
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });

  const job = { id: "0197", workspace: "demo", kind: "script", path: "f/a", state: "failed", startedAtMs: 1000, endedAtMs: 1031 } as const;

  it.each([
    ...triggerKinds.map((kind) => [kind, { trigger: kind, triggerPath: "f/t/in" }, `${kind} f/t/in`] as const),
    ["schedule", { trigger: "schedule", schedulePath: "f/t/daily" }, "schedule f/t/daily"],
    ["webhook", { trigger: "webhook" }, "webhook"],
  ] as const)("appears in the terminal with its trigger: %s", async (_, origin, by) => {
    const lines: (string | undefined)[] = [];
    const stop = followEndedRuns(join(folder, "ended-runs.jsonl"), (run) => lines.push(endedLine(run, at)));
    appendEndedRun({ ...job, ...origin } as EndedJobReport);
    await expect.poll(() => lines).toEqual([`12:03:11 demo f/a failed 31 ms, ${by} 0197`]);
    stop();
  });
});

it("the line of a failed step precedes that of its flow, although its reason takes longer to load", async () => {
  const lines: string[] = [];
  const print = createOrderedPrinter((line) => lines.push(line));
  let loadReason = (_line: string) => {};
  print(
    new Promise((resolve) => {
      loadReason = resolve;
    }),
  );
  print(Promise.resolve("the flow succeeded"));
  print(Promise.resolve(undefined));
  await Promise.resolve();
  expect(lines).toEqual([]);
  loadReason("the step failed");
  await expect.poll(() => lines).toEqual(["the step failed", "the flow succeeded"]);
});
