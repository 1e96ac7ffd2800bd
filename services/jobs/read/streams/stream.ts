import { setTimeout as sleep } from "node:timers/promises";
import { defined } from "../../../../contract/defined.ts";
import { limits } from "../../../../contract/limits.ts";
import type { StreamEventJson, UpdateStreamQuery } from "../../../../contract/routes/jobs/streams.ts";
import { hasEnded, type Job, PEOPLE, resultVisibleTo } from "../../../../core/jobs/record/job.ts";
import { formatEventId, type StreamPosition } from "../../../../core/streams/event-id.ts";
import { StreamLines, toStreamResult } from "../../../../core/streams/stream-lines.ts";
import type { Uses } from "../../../uses.ts";
import { loadJson, loadLogs } from "../../values/values.ts";
import { loadJobJson, recordWatcher } from "../read.ts";

/** One event of api.md §2.5, and the position that its reader reaches with it. */
export interface StreamEvent {
  at: StreamPosition;
  data: StreamEventJson;
}

/** The polling interval during the first seconds of a new job, for callers that request it. */
const FAST_MS = 50;
const FAST_FOR_MS = 3000;
const POLL_MS = 100;
const QUEUED_POLL_MS = 250;

/**
 * Yields a job's updates until it ends or until `untilMs` (epoch ms), which yields a `timeout`: the caller may then reconnect with the
 * position of its last event. No output is lost or repeated, because the stored log is read from its beginning and only grows. Ends at once when
 * the caller is known to have disconnected.
 */
export async function* streamJobEvents(
  deps: Uses<"findLastStep" | "jobs" | "storage" | "nowMs">,
  { workspace, id }: Pick<Job, "workspace" | "id">,
  request: UpdateStreamQuery,
  { untilMs, gone }: { untilMs: number; gone: AbortSignal },
): AsyncGenerator<StreamEvent> {
  const { jobs, nowMs } = deps;
  const lines = new StreamLines();
  const startedMs = nowMs();
  let stream = "";
  let sentStream = request.stream_offset ?? 0;
  let readLog = 0;
  let sentLog = request.log_offset ?? 0;
  let running = request.running;
  let lastMs = startedMs;
  let read = "";
  let progress: number | undefined;
  const hidesLog = request.no_logs || request.only_result;
  const position = (ended = false): StreamPosition => ({ stream: sentStream, log: hidesLog || sentLog === 0 ? undefined : sentLog, ended });
  while (!gone.aborted) {
    const job = await jobs.get(id);
    if (job?.workspace !== workspace) {
      yield { at: position(), data: { type: "not_found" } };
      return;
    }
    const ended = hasEnded(job);
    const source = job.flow?.plan ? await deps.findLastStep(job) : job;
    const output = source ? outputVersion(source) : "";
    const log = source && source.logChars > 0 && output !== read ? await loadLogs(deps, source, readLog) : "";
    read = output;
    const newLogs = hidesLog || source !== job ? "" : log.slice(Math.max(0, sentLog - readLog));
    readLog += log.length;
    stream += lines.push(log) + (ended ? lines.end() : "");
    const changes = {
      ...(running === (job.state === "running") || request.only_result ? {} : { running: job.state === "running" }),
      ...(newLogs ? { new_logs: newLogs, log_offset: readLog } : {}),
      ...(request.get_progress && job.progress !== progress ? { progress: job.progress } : {}),
      ...(stream.length > sentStream ? { new_result_stream: stream.slice(sentStream), stream_offset: stream.length } : {}),
    };
    // A flow shows the stream of another job, whose log is not part of its events.
    if (source === job) sentLog = Math.max(sentLog, readLog);
    sentStream = Math.max(sentStream, stream.length);
    running = job.state === "running";
    progress = job.progress;
    if (ended) {
      yield {
        at: position(true),
        data: { type: "update", ...changes, running: false, completed: true, ...(await loadOutcome(deps, job, request, stream)) },
      };
      return;
    }
    const now = nowMs();
    if (Object.keys(changes).length > 0) {
      yield { at: position(), data: { type: "update", ...changes, ...defined({ mem_peak: job.memPeakKb }) } };
      lastMs = now;
    } else if (now - lastMs >= limits.streamPingMs) {
      yield { at: position(), data: { type: "ping" } };
      lastMs = now;
    }
    if (now >= untilMs) {
      yield { at: position(), data: { type: "timeout" } };
      return;
    }
    await recordWatcher(deps, source ?? job);
    const fast = request.fast && now - startedMs < FAST_FOR_MS ? FAST_MS : undefined;
    const pollMs = request.poll_delay_ms ?? fast ?? (job.state === "running" ? POLL_MS : QUEUED_POLL_MS);
    await pause(Math.min(pollMs, untilMs - now), gone);
  }
}

// Aborting the wait simulates the disconnection of the reader.
const pause = (ms: number, gone: AbortSignal) => sleep(ms, undefined, { signal: gone }).catch(() => undefined);

/** Changes whenever there is new output. A later attempt counts from 0 again and may reach the same count as an earlier one. */
function outputVersion(job: Job): string {
  return [job.logChars, ...(job.attempt > 1 ? [job.attempt, job.state, job.lastPingMs] : [])].join();
}

async function loadOutcome(
  deps: Uses<"jobs" | "storage">,
  job: Job,
  request: UpdateStreamQuery,
  stream: string,
): Promise<Record<string, unknown>> {
  if (!hasEnded(job)) return {};
  if (!request.only_result) return { job: await loadJobJson(deps, job, { args: true, result: true, logs: !request.no_logs, code: true }) };
  return { only_result: toStreamResult(await loadJson(deps, job, resultVisibleTo(PEOPLE, job)), stream) };
}

/**
 * Returns the text of one server-sent event. `run` names the run of the stream in its id, and `change` may change its JSON. Browsers reconnect
 * by themselves after a timeout, without their usual pause of several seconds.
 */
export function formatEvent({ at, data }: StreamEvent, { run, change = (json) => json }: EventFormat = {}): string {
  const retry = data.type === "timeout" ? `retry: ${limits.streamRetryMs}\n` : "";
  return `id: ${formatEventId({ ...at, run })}\n${retry}data: ${change(JSON.stringify(data))}\n\n`;
}

interface EventFormat {
  run?: string | undefined;
  change?: ((json: string) => string) | undefined;
}
