import { createHash, randomBytes } from "node:crypto";
import { SvcError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import { repeatedCallObject } from "../../../core/jobs/repeated-call.ts";
import { parseEventId, type StreamPosition } from "../../../core/streams/event-id.ts";
import { findPreviousRun, type IdempotencyKey } from "../../jobs/queue/create-job-record.ts";
import { WATCH_MS } from "../../jobs/read/read.ts";
import type { Uses } from "../../uses.ts";
import type { VersionRunCall } from "./run-request.ts";
import { type StartRunOptions, startRun } from "./start-run.ts";

/** The streamed run, and the position from which its stream continues. The events of the stream name the run by `from.run`. */
export interface StreamedRun {
  id: string;
  replayed: boolean;
  from: StreamPosition;
}

/**
 * Starts a run whose caller reads its stream, so that its runner sends output often from the beginning. A browser that reconnects repeats the
 * same request with the id of its last event, which names the run: the stream continues, and no other run starts. An id without a run is used
 * only if the call was replayed, because it may belong to another run. Throws as `startRun` and `findStreamedRun` do.
 */
export async function startStreamedRun(
  deps: Uses<"jobs" | "objects" | "storage" | "queue" | "nowMs">,
  request: VersionRunCall,
  { queueLimit, lastEventId }: Pick<StartRunOptions, "queueLimit"> & { lastEventId: string | undefined },
): Promise<StreamedRun> {
  const existing = await findStreamedRun(deps, request, lastEventId);
  if (existing) return existing;
  const run = randomBytes(16).toString("hex");
  const options = { queueLimit, watchedUntilMs: deps.nowMs() + WATCH_MS, streamKey: toStreamKey(request, run) };
  const { id, replayed } = await startRun(deps, request, options);
  return { id, replayed, from: (replayed && parseEventId(lastEventId)) || { stream: 0, run: replayed ? undefined : run } };
}

/**
 * Returns the run that the id of a stream's event names, or `undefined` if it names none. Throws `stream.runUnknown` if the run is no longer
 * stored, because a request to resume must not start a run.
 */
export async function findStreamedRun(
  deps: Uses<"jobs" | "objects" | "nowMs">,
  request: VersionRunCall,
  lastEventId: string | undefined,
): Promise<StreamedRun | undefined> {
  const from = parseEventId(lastEventId);
  if (from?.run === undefined) return undefined;
  const job = await findPreviousRun(deps, toStreamKey(request, from.run));
  if (!job) throw new SvcError("stream.runUnknown", {});
  return { id: job.id, replayed: true, from };
}

/** Returns the key under which a streamed run is recorded beside the caller's own key. It counts only for the same script or flow and the same user. */
function toStreamKey({ job, version: { target } }: VersionRunCall, run: string): IdempotencyKey {
  const { workspace, actor, idempotencyKey } = job;
  const scope = ["stream", workspace, actor.email, target.kind, target.version.path, run];
  const hash = createHash("sha256").update(JSON.stringify(scope)).digest("hex");
  // A reader may resume as long as the job can be read.
  const key = { key: repeatedCallObject.key(hash), fingerprint: "stream", retentionMs: limits.jobRetentionMs, ofStream: true as const };
  return idempotencyKey ? { ...key, also: idempotencyKey } : key;
}
