import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jobKindSchema } from "../../../contract/job-kind.ts";
import { limits } from "../../../contract/limits.ts";
import { LONG_OBJECT_DAYS, SHORT_OBJECT_DAYS } from "../../../contract/retention.ts";
import { chooseRetention, expiryAfterEndMs, expiryBeforeEndMs, objectPrefix, waitsTooLong } from "./retention.ts";

const DAY_MS = 24 * 3600 * 1000;
const MINUTE_MS = 60_000;
/** The longest time from the claim of a script to its end, with its lost attempts. */
const SCRIPT_RUN_MS = limits.maxAttempts * (limits.maxTimeoutS * 1000 + limits.leaseMs + limits.leaseGraceMs + 2 * MINUTE_MS);

/** S3 removes an object at the first midnight (UTC) after the number of days. */
const lifecycleMs = (createdAtMs: number, days: number) => Math.ceil((createdAtMs + days * DAY_MS) / DAY_MS) * DAY_MS;

/** The life of a job: it is created, waits (for its time, for a slot), runs, and stores an object at any time in between. */
const life = fc
  .record({
    kind: fc.constantFrom(...jobKindSchema.options),
    createdAtMs: fc.integer({ min: 1.7e12, max: 1.9e12 }),
    delayMs: fc.option(fc.integer({ min: 0, max: limits.maxDelayS * 1000 }), { nil: undefined }),
    waitMs: fc.oneof(fc.integer({ min: 0, max: MINUTE_MS }), fc.integer({ min: 0, max: 300 * DAY_MS })),
    timeoutS: fc.oneof(fc.integer({ min: 1, max: 12 * 3600 }), fc.integer({ min: 1, max: limits.flowTimeoutS })),
    run: fc.double({ min: 0, max: 1, noNaN: true }),
    storedAt: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ kind, createdAtMs, delayMs, waitMs, timeoutS, run, storedAt }) => {
    const scheduledForMs = delayMs === undefined ? undefined : createdAtMs + delayMs;
    const job = { kind, createdAtMs, scheduledForMs };
    const chosen = chooseRetention(job);
    const startedAtMs = Math.max(createdAtMs, scheduledForMs ?? 0) + waitMs;
    // Housekeeping checks a queued job every few minutes.
    const retention = waitsTooLong({ retention: chosen, createdAtMs }, startedAtMs - 10 * MINUTE_MS) ? ("long" as const) : chosen;
    const isFlow = kind === "flow" || kind === "flowpreview";
    const endedAtMs = startedAtMs + Math.round(run * (isFlow ? timeoutS * 1000 + 10 * MINUTE_MS : SCRIPT_RUN_MS));
    const storedAtMs = createdAtMs + Math.round(storedAt * (endedAtMs - createdAtMs));
    const before = expiryBeforeEndMs(retention, job);
    const after = expiryAfterEndMs({ retention, expiresAtMs: before, ...(isFlow ? { flow: {} } : {}) }, endedAtMs);
    return { retention, endedAtMs, storedAtMs, before, after };
  });

describe("the data of a job", () => {
  it("is under the long-lived prefix, or the lifecycle of its objects ends after its record", () => {
    fc.assert(
      fc.property(life, ({ retention, storedAtMs, before, after }) => {
        const removedMs = lifecycleMs(storedAtMs, retention === "short" ? SHORT_OBJECT_DAYS : LONG_OBJECT_DAYS);
        expect(removedMs).toBeGreaterThanOrEqual(retention === "short" ? after : before);
      }),
      { numRuns: 5000 },
    );
  });

  it("outlasts the job, and the record expires 30 to 31 days after its end", () => {
    fc.assert(
      fc.property(life, ({ endedAtMs, before, after }) => {
        // The items of a job have the expiry of its record before its end.
        expect(before).toBeGreaterThanOrEqual(after);
        expect(after - endedAtMs).toBeGreaterThanOrEqual(limits.jobRetentionMs);
        expect(after - endedAtMs).toBeLessThanOrEqual(limits.jobRetentionMs + DAY_MS);
      }),
      { numRuns: 5000 },
    );
  });

  it("expires with the flow if the job is a step, and as recorded if an earlier release recorded the flow", () => {
    expect(expiryAfterEndMs({ retention: "long", step: {}, expiresAtMs: 7 }, 5)).toBe(7);
    expect(expiryAfterEndMs({ retention: "short", flow: {}, expiresAtMs: 7 }, 5)).toBe(7);
  });

  it("a flow is long, and a script is short unless it is scheduled for another day", () => {
    const createdAtMs = 1.8e12;
    const script = { kind: "script", createdAtMs } as const;
    expect(chooseRetention({ ...script, kind: "flow" })).toBe("long");
    expect(chooseRetention(script)).toBe("short");
    expect(chooseRetention({ ...script, scheduledForMs: createdAtMs + DAY_MS })).toBe("long");
  });

  it("has the prefix of its retention", () => {
    expect(objectPrefix({ id: "i", workspace: "w", retention: "short" })).toBe("jobs/w/i/");
    expect(objectPrefix({ id: "i", workspace: "w", retention: "long" })).toBe("long-lived/w/i/");
  });
});
