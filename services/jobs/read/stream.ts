import { setTimeout as sleep } from "node:timers/promises";
import type { StreamEventJson, UpdateStreamQuery } from "../../../contract/routes/jobs/streams.ts";
import { hasEnded, type Job, PEOPLE, resultVisibleTo } from "../../../core/jobs/job.ts";
import { StreamLines, toStreamResult } from "../../../core/streams/stream-lines.ts";
import { loadLogs, loadValue, type ValueDeps } from "../values/values.ts";
import { loadJobJson, recordWatcher } from "./read.ts";

/** One event of api.md §2.5; `id` is the offset in the stream that it reaches. */
export interface StreamEvent {
  id: number;
  data: StreamEventJson;
}

const PING_MS = 15_000;
/** A new job's first events come soon when its caller asks for that. */
const FAST_MS = 50;
const FAST_FOR_MS = 3000;
const POLL_MS = 100;
const QUEUED_POLL_MS = 250;

interface JobEventsDeps extends ValueDeps {
  nowMs: () => number;
  /** Finds the job of a flow's last step, once it exists: a flow streams the output of that job. */
  findLastStep(flow: Job): Promise<Job | undefined>;
}

/**
 * Yields a job's updates until it has ended, or until `untilMs` (epoch ms): then a `timeout`, after which the caller may come back with
 * its offset. Nothing is lost in between: the stream is read from the beginning of the stored log. Ends at once when the caller is `gone`.
 */
export async function* streamJobEvents(
  deps: JobEventsDeps,
  { workspace, id }: Pick<Job, "workspace" | "id">,
  asked: UpdateStreamQuery,
  { untilMs, gone }: { untilMs: number; gone: AbortSignal },
): AsyncGenerator<StreamEvent> {
  const { jobs, nowMs } = deps;
  const lines = new StreamLines();
  const startedMs = nowMs();
  let stream = "";
  let told = asked.stream_offset ?? 0;
  let logRead = 0;
  let logTold = asked.log_offset ?? 0;
  let running = asked.running;
  let lastMs = startedMs;
  let read = "";
  let progress: number | undefined;
  while (!gone.aborted) {
    const job = await jobs.get(id);
    if (job?.workspace !== workspace) {
      yield { id: told, data: { type: "not_found" } };
      return;
    }
    const ended = hasEnded(job);
    // A flow streams what its last step does.
    const speaker = job.flow?.plan ? await deps.findLastStep(job) : job;
    const output = speaker ? outputOf(speaker) : "";
    const log = speaker && speaker.logChars > 0 && output !== read ? await loadLogs(deps, speaker, logRead) : "";
    read = output;
    const newLogs = asked.no_logs || asked.only_result || speaker !== job ? "" : log.slice(Math.max(0, logTold - logRead));
    logRead += log.length;
    stream += lines.push(log) + (ended ? lines.end() : "");
    const news = {
      ...(running === (job.state === "running") || asked.only_result ? {} : { running: job.state === "running" }),
      ...(newLogs ? { new_logs: newLogs, log_offset: logRead } : {}),
      ...(asked.get_progress && job.progress !== progress ? { progress: job.progress } : {}),
      ...(stream.length > told ? { new_result_stream: stream.slice(told), stream_offset: stream.length } : {}),
    };
    logTold = Math.max(logTold, logRead);
    told = Math.max(told, stream.length);
    running = job.state === "running";
    progress = job.progress;
    if (ended) {
      yield {
        id: told,
        data: { type: "update", ...news, running: false, completed: true, ...(await outcome(deps, job, asked, stream)) },
      };
      return;
    }
    const now = nowMs();
    if (Object.keys(news).length > 0) {
      yield { id: told, data: { type: "update", ...news, ...(job.memPeakKb === undefined ? {} : { mem_peak: job.memPeakKb }) } };
      lastMs = now;
    } else if (now - lastMs >= PING_MS) {
      yield { id: told, data: { type: "ping" } };
      lastMs = now;
    }
    if (now >= untilMs) {
      yield { id: told, data: { type: "timeout" } };
      return;
    }
    await recordWatcher(deps, speaker ?? job);
    const fast = asked.fast && now - startedMs < FAST_FOR_MS ? FAST_MS : undefined;
    await pause(asked.poll_delay_ms ?? fast ?? (job.state === "running" ? POLL_MS : QUEUED_POLL_MS), gone);
  }
}

const pause = (ms: number, gone: AbortSignal) => sleep(ms, undefined, { signal: gone }).catch(() => undefined);

/** Changes whenever there is output to read: a later attempt counts from 0 again, and may come to the same count as an earlier one. */
function outputOf(job: Job): string {
  return [job.logChars, ...(job.attempt > 1 ? [job.attempt, job.state, job.lastPingMs] : [])].join();
}

async function outcome(deps: ValueDeps, job: Job, asked: UpdateStreamQuery, stream: string): Promise<Record<string, unknown>> {
  if (!hasEnded(job)) return {};
  if (!asked.only_result) return { job: await loadJobJson(deps, job, { args: true, result: true, logs: !asked.no_logs, code: true }) };
  return { only_result: toStreamResult(JSON.parse(await loadValue(deps, job, resultVisibleTo(PEOPLE, job))), stream) };
}

/** The text of one server-sent event. */
export const formatEvent = ({ id, data }: StreamEvent) => `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
