import { expect, it, vi } from "vitest";
import { countOutcome } from "../../core/telemetry/telemetry.ts";

it("the outcomes of an invocation that need attention add up by their weights, and normal ends of jobs do not count", async () => {
  // Powertools then writes metrics, and to the global console.
  vi.stubEnv("POWERTOOLS_DEV", "true");
  vi.stubEnv("POWERTOOLS_METRICS_DISABLED", "false");
  const { logInvocation } = await import("./observe.ts");
  const log = vi.spyOn(console, "log").mockReturnValue();
  vi.spyOn(console, "info").mockReturnValue();
  countOutcome("NoticesFailed", { count: 2 });
  countOutcome("Postponements");
  countOutcome("JobsFailed", { kind: "script" });
  await logInvocation("worker", { awsRequestId: "1" }, {});
  const written = log.mock.calls.map(([line]) => JSON.parse(String(line)) as Record<string, unknown>).filter((line) => "_aws" in line);
  vi.restoreAllMocks();
  expect(written).toEqual([
    expect.objectContaining({ service: "svc", NoticesFailed: 2, Postponements: 1, Attention: 8 }),
    expect.objectContaining({ service: "svc", kind: "script", JobsFailed: 1 }),
  ]);
  expect(written[1]).not.toHaveProperty("Attention");
});
