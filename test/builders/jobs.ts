import { randomUUID } from "node:crypto";
import type { EndedJob, QueuedJob, RunningJob } from "../../core/jobs/record/job.ts";

/** A queued job for tests, each with its own id. */
export function aQueuedJob(fields: Partial<QueuedJob> = {}): QueuedJob {
  return {
    id: randomUUID(),
    workspace: "demo",
    kind: "script",
    path: "f/ops/hello",
    hash: "0123456789abcdef",
    language: "bun",
    createdBy: "ann",
    email: "ann@example.com",
    permissionedAs: "u/ann",
    superAdmin: true,
    createdAtMs: 1_000_000,
    tag: "bun",
    trigger: "webhook",
    timeoutS: 60,
    args: { in: "head", json: "{}" },
    attempt: 0,
    losses: 0,
    logChars: 0,
    retention: "short",
    expiresAtMs: 2_000_000_000,
    state: "queued",
    ...fields,
  };
}

export function aRunningJob(fields: Partial<RunningJob> = {}): RunningJob {
  return {
    ...aQueuedJob(),
    state: "running",
    attempt: 1,
    startedAtMs: 1_000_100,
    nonce: "nonce",
    leaseUntilMs: 1_060_100,
    worker: "worker-1",
    ...fields,
  };
}

export function anEndedJob(fields: Partial<EndedJob> = {}): EndedJob {
  return {
    ...aQueuedJob(),
    attempt: 1,
    startedAtMs: 1_000_100,
    endedAtMs: 1_000_200,
    result: { in: "head", json: "1" },
    erased: false,
    worker: "worker-1",
    ...fields,
    state: fields.state ?? "succeeded",
  } as EndedJob;
}
