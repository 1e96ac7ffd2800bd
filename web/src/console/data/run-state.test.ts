import { expect, it } from "vitest";
import { hasEnded, stateOf } from "./run-state.ts";

const NOW = Date.parse("2026-01-02T00:00:00Z");
const queued = { type: "QueuedJob", canceled: false, running: false } as const;
const ended = { type: "CompletedJob", canceled: false, success: true, is_skipped: false } as const;

it.each([
  [queued, "queued"],
  [{ ...queued, scheduled_for: "2026-01-01T23:59:59Z" }, "queued"],
  [{ ...queued, scheduled_for: "2026-01-02T00:00:01Z" }, "scheduled"],
  [{ ...queued, running: true }, "running"],
  [{ ...queued, running: true, state: "suspended" }, "suspended"],
  [{ ...queued, running: true, state: "awaiting_approval" }, "awaiting_approval"],
  [ended, "succeeded"],
  [{ ...ended, success: false }, "failed"],
  [{ ...ended, success: false, canceled: true }, "canceled"],
  [{ ...ended, is_skipped: true }, "skipped"],
] as const)("the run %j is %s", (job, state) => {
  expect(stateOf(job, NOW)).toBe(state);
  expect(hasEnded(state)).toBe(job.type === "CompletedJob");
});
