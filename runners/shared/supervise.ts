import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { findExcess, parseExactJson } from "../../contract/json/exact-json.ts";
import { type NextOutcome, nextArguments, type RunError, type RunOutcome, type RunRequest } from "../protocol.ts";
import type { Conclusion, Ending } from "./answers.ts";
import { ArtefactError, evictArtefacts, loadArtefact } from "./artefacts/artefacts.ts";
import { Shared } from "./artefacts/shared-folder.ts";
import { upload } from "./artefacts/upload.ts";
import { type Child, installCleanUp } from "./process/child.ts";
import { refillPipes } from "./process/pipes.ts";
import { familyMemoryKb, peakResidentKb, residentKb } from "./process/processes.ts";
import { takeControl, takeSurvivors } from "./process/strays.ts";
import { effectiveTmpMode, repairWorkDir, sweepTmp } from "./process/tmp.ts";
import { Beats } from "./reports/beats.ts";
import { InternalRoute } from "./reports/internal-route.ts";
import { LogBuffer } from "./reports/log-buffer.ts";
import { settings } from "./settings.ts";
import { wellFormedJson } from "./well-formed.ts";

/** A job that a language executes. */
export interface Job {
  child: Child;
  /** The child was started for this job, or was an unused spare. */
  fresh: boolean;
  /** The child has executed earlier jobs, so its peak memory is not the peak of this job. */
  shared: boolean;
  /** Passes the job to the child. */
  startRun(): void;
  /** Never rejects. */
  ended: Promise<Ending>;
  /** JSON of the arguments that the script's preprocessor returned; `undefined` until it has returned. */
  preprocessed?: string | undefined;
  /** Called with all output, in order. */
  onOutput?(chunk: Buffer): void;
  /**
   * Resolves when no process of the job runs or writes any more; its directory still exists. `clean`: the job ended by itself; otherwise this
   * method stops it.
   */
  settle(clean: boolean): Promise<void>;
  conclude(ending: Ending): Conclusion;
  /** Empties the directories. Ends the child unless another job can use it. */
  release(): Promise<void>;
}

export interface Language {
  name: RunRequest["language"];
  /**
   * Ends the processes that wait for another run of an earlier script, because their threads may still be active. Call it before the files of a
   * run are read, if only one supervisor uses the disk.
   */
  endOthers?(request: RunRequest): Promise<void>;
  /** Takes a child for this job. `artefact` is the unpacked directory; `placeShared` is called with the job's directory before its code runs. */
  open(request: RunRequest, artefact: string, placeShared: (jobDirectory: string) => void): Job;
  /** Prepares processes for the next job while no job waits. */
  prepare(): void;
}

type Stop = { kind: "timeout" } | { kind: "stop"; reason: string } | { kind: "memory" };

/** The pauses between memory samples; the last one repeats. Short jobs are sampled too, and long jobs cost little. */
const MEMORY_SAMPLE_MS = [20, 80, 250];
/** A run that takes longer also reports its outcome, because its caller may have stopped waiting. */
const REPORT_MS = 5000;
/** A job that has run for this long is probably waiting, so the next job's process can be prepared without slowing it down. */
const PREPARE_MS = 50;

/** The number of current users of each artefact in this supervisor. */
const inUse = new Map<string, number>();

/** Creates the Lambda handler of a language. The handler returns an outcome for everything that user code does, and never throws. */
export function createHandler(language: Language): (request: RunRequest) => Promise<RunOutcome> {
  const unhidden = takeControl();
  // No job waits while a function's environment starts, so the spare, the pipes and the HTTP client are created now.
  if (process.env["AWS_LAMBDA_FUNCTION_NAME"]) {
    prepare(language);
    new Request("http://127.0.0.1/");
  }
  return async (request) => {
    installCleanUp();
    const startMs = performance.now();
    let outcome: RunOutcome;
    try {
      outcome = await call(language, request, startMs);
    } catch (error) {
      const isArtefactError = error instanceof ArtefactError;
      outcome = {
        outcome: "failure",
        error: isArtefactError
          ? { name: error.name, message: error.message }
          : { name: "RunnerError", message: "The runner failed before the script's outcome was known." },
        logs: { offset: 0, text: "" },
        timings: { setupMs: 0, runMs: 0, totalMs: performance.now() - startMs, freshHost: true },
        ...(isArtefactError ? {} : { problem: describeFault(error) }),
      };
    }
    const fault = takeSurvivors() ?? unhidden;
    if (fault) outcome.problem ??= fault;
    const { problem, timings } = outcome;
    const { setupMs, runMs, totalMs, freshHost } = timings;
    // The line is for the log of the local engine. On AWS the role of a runner may not write logs, because scripts could forge lines and metrics;
    // the caller logs and counts outcomes.
    console.log(
      JSON.stringify({
        level: problem ? "ERROR" : "INFO",
        message: "run",
        job: request.job,
        workspace: request.workspace,
        attempt: request.attempt,
        language: language.name,
        outcome: outcome.outcome,
        setupMs: round(setupMs),
        runMs: round(runMs),
        totalMs: round(totalMs),
        freshHost,
        memPeakKb: outcome.memPeakKb,
        logUnits: outcome.logs.offset + outcome.logs.text.length,
        tmp: effectiveTmpMode(),
        ...(problem && { problem }),
      }),
    );
    // A timer runs after the answer was sent, so the preparation does not delay it.
    setTimeout(() => prepare(language), 1).unref();
    return outcome;
  };
}

/** Describes a fault of the supervisor in at most 2,000 characters. The path and the query of an address can contain a signature. */
function describeFault(error: unknown): string {
  const text = (error instanceof Error && error.stack) || String(error);
  return text.replace(/(https?:\/\/[^\s/?#"')]*)[^\s"')]*/g, "$1").slice(0, 2000);
}

function prepare(language: Language): void {
  try {
    repairWorkDir();
    language.prepare();
    refillPipes();
  } catch {
    // If the fault persists, the next job reports it.
  }
}

/** Executes one call: the requested run, the runs that follow it, and their shared folder. */
async function call(language: Language, request: RunRequest, startMs: number): Promise<RunOutcome> {
  if (settings().sole) await language.endOthers?.(request);
  repairWorkDir();
  const shared = await Shared.fetch(request);
  try {
    const { outcome, reports } = await supervise(language, { request, shared, startMs, leads: true });
    const next = request.next && outcome.outcome === "success" ? await follow(language, request, shared, { outcome, startMs }) : [];
    const { error, ...saved } = (await shared?.save()) ?? {};
    const last = next.at(-1) ?? outcome;
    if (error && last.outcome === "success") Object.assign(last, { result: undefined }, failure(error));
    const whole = { ...outcome, ...saved, ...(next.length > 0 ? { next } : {}) };
    if (reports) await new InternalRoute(request).report(whole);
    return whole;
  } finally {
    shared?.remove();
  }
}

/** The limit for all following runs of one call together: the answer contains them beside the request's own result. */
const MAX_NEXT_BYTES = 1024 * 1024;

async function follow(
  language: Language,
  request: RunRequest,
  shared: Shared | undefined,
  { outcome, startMs }: { outcome: RunOutcome; startMs: number },
): Promise<NextOutcome[]> {
  const { next: { runs, withinMs, resultUrl } = { runs: [], withinMs: 0, resultUrl: "" }, ...ownRequest } = request;
  const results = [outcome.result];
  const outcomes: NextOutcome[] = [];
  let roomBytes = MAX_NEXT_BYTES;
  for (const { args, env, ...following } of runs) {
    const last = outcomes.at(-1) ?? outcome;
    if (last.outcome !== "success" || last.resultUploaded || performance.now() - startMs > withinMs || roomBytes <= 0) break;
    const preparedArguments = nextArguments(args, results);
    if (!preparedArguments) break;
    const startedAtMs = Date.now();
    const nextRequest = {
      ...ownRequest,
      ...following,
      args: preparedArguments,
      env: { ...ownRequest.env, ...env },
      resultUrl,
      maxInlineResultBytes: roomBytes,
      watched: false,
    };
    const { outcome: ended } = await supervise(language, { request: nextRequest, shared, startMs: performance.now(), leads: false });
    outcomes.push({ ...ended, startedAtMs, endedAtMs: Date.now() });
    results.push(ended.result);
    roomBytes -= JSON.stringify(ended.result ?? null).length + ended.logs.text.length;
  }
  return outcomes;
}

async function supervise(language: Language, run: Omit<Run, "job">): Promise<Supervised> {
  const { request, shared } = run;
  if (settings().sole) await language.endOthers?.(request);
  repairWorkDir();
  const artefact = await loadArtefact(request.artefact, Date.now());
  inUse.set(artefact, (inUse.get(artefact) ?? 0) + 1);
  let job: Job | undefined;
  try {
    job = language.open(request, artefact, (directory) => shared?.place(directory));
    return await runJob(language, { ...run, job });
  } finally {
    await job?.release();
    const users = (inUse.get(artefact) ?? 1) - 1;
    if (users > 0) inUse.set(artefact, users);
    else inUse.delete(artefact);
    if (effectiveTmpMode() === "sweep") sweepTmp();
    if (job?.fresh) setTimeout(() => evictArtefacts(new Set(inUse.keys()), Date.now()), 10).unref();
  }
}

/** `reports`: the run took so long that its caller may no longer be waiting. */
interface Supervised {
  outcome: RunOutcome;
  reports: boolean;
}

interface Run {
  request: RunRequest;
  job: Job;
  shared: Shared | undefined;
  startMs: number;
  /** The requested run, whose output beats carry. The output of following runs is only in the answer. */
  leads: boolean;
}

async function runJob(language: Language, { request, job, shared, startMs, leads }: Run): Promise<Supervised> {
  const { child } = job;
  const log = new LogBuffer(request.maxLogBytes);
  const route = new InternalRoute(request);
  let memPeakKb = 0;
  const stopped = Promise.withResolvers<Stop>();
  const beats = new Beats({
    route,
    log: leads ? log : new LogBuffer(0),
    watched: request.watched ?? false,
    executorWaitsMs: request.executorWaitsMs ?? 0,
    memPeakKb: () => memPeakKb,
    onStop: (reason) => stopped.resolve({ kind: "stop", reason }),
  });

  // Output that a dedicated worker wrote between two jobs belongs to neither. A program's own process may already be writing for this job.
  if (job.shared) child.output.drain();
  child.output.onData = (chunk) => {
    log.push(chunk);
    job.onOutput?.(chunk);
    beats.wake();
  };
  child.hold();

  const begunMs = performance.now();
  job.startRun();
  const timers = [
    setTimeout(() => stopped.resolve({ kind: "timeout" }), request.timeoutMs),
    setTimeout(() => prepare(language), PREPARE_MS),
  ];
  const { memoryLimitKb } = settings();
  let samples = 0;
  let over = false;
  const sample = async () => {
    const kb = await familyMemoryKb(child.family, child.others);
    memPeakKb = Math.max(memPeakKb, kb);
    if (memoryLimitKb && kb > memoryLimitKb) stopped.resolve({ kind: "memory" });
    if (!over) sampler = setTimeout(sample, MEMORY_SAMPLE_MS[Math.min(++samples, MEMORY_SAMPLE_MS.length - 1)]);
  };
  let sampler = setTimeout(sample, MEMORY_SAMPLE_MS[0]);

  const ending = await Promise.race([job.ended, stopped.promise]);

  const endedMs = performance.now();
  for (const timer of timers) clearTimeout(timer);
  over = true;
  clearTimeout(sampler);
  memPeakKb = Math.max(memPeakKb, job.shared ? residentKb(child.pid) : peakResidentKb(child.pid));
  await job.settle(ending.kind === "answer");
  child.output.drain();
  log.end();
  child.output.onData = () => {};
  child.release();

  shared?.takeFrom(child.jobDirectory);
  const end = await outcomeOf(request, job, ending);
  await beats.end();
  const outcome: RunOutcome = {
    ...end,
    ...(job.preprocessed !== undefined && { preprocessed: objectOf(job.preprocessed) }),
    logs: log.peek(),
    ...(memPeakKb > 0 && { memPeakKb }),
    timings: { setupMs: begunMs - startMs, runMs: endedMs - begunMs, totalMs: performance.now() - startMs, freshHost: job.fresh },
  };
  return { outcome, reports: endedMs - begunMs > REPORT_MS && !beats.refused };
}

function objectOf(json: string): Record<string, unknown> {
  return parseExactJson(wellFormedJson(json)) as Record<string, unknown>;
}

type End = Pick<RunOutcome, "outcome" | "result" | "resultUploaded" | "error">;

async function outcomeOf(request: RunRequest, job: Job, ending: Ending | Stop): Promise<End> {
  switch (ending.kind) {
    case "timeout": {
      const message = `The script ran longer than its limit of ${request.timeoutMs / 1000} s and was stopped.`;
      return { outcome: "timeout", error: { name: "TimeoutError", message } };
    }
    case "stop":
      return { outcome: "killed", error: { name: "CanceledError", message: ending.reason } };
    case "memory": {
      const limitMb = Math.round((settings().memoryLimitKb ?? 0) / 1024);
      return failure({ name: "MemoryError", message: `The script used more than its ${limitMb} MB of memory and was stopped.` });
    }
    case "tooLarge":
      return failure(tooLarge(request.maxResultBytes));
    case "answer":
    case "exit": {
      const conclusion = job.conclude(ending);
      return conclusion.ok ? storeResult(request, conclusion.json, job.preprocessed?.length ?? 0) : failure(conclusion.error);
    }
  }
}

function failure({ name, message, stack, ...rest }: RunError): End {
  const texts = { name: name.toWellFormed(), message: message.toWellFormed(), ...(stack && { stack: stack.toWellFormed() }) };
  return { outcome: "failure", error: { ...texts, ...rest } };
}

export function tooLarge(limitBytes: number): RunError {
  const limit = limitBytes >= 1_048_576 ? `${round(limitBytes / 1_048_576)} MB` : `${limitBytes} bytes`;
  return {
    name: "ResultTooLarge",
    message: `The result is larger than the limit of ${limit}. Store large data as a file and return a reference to it.`,
  };
}

/** `besides`: further bytes of the answer. One limit applies to the sum. */
async function storeResult(request: RunRequest, json: Buffer, besides: number): Promise<End> {
  if (json.length > request.maxResultBytes) return failure(tooLarge(request.maxResultBytes));
  // Latin 1 is the fastest to read, and the structure of JSON is ASCII.
  const excess = findExcess(json.toString("latin1"));
  if (excess) return failure({ name: "ResultError", message: `The result cannot be converted to JSON: ${excess}` });
  if (json.length + besides <= request.maxInlineResultBytes)
    return { outcome: "success", result: parseExactJson(wellFormedJson(json.toString("utf8"))) };
  if (await upload(request.resultUrl, json, "application/json")) return { outcome: "success", resultUploaded: { bytes: json.length } };
  return failure({ name: "ResultNotStored", message: "The script succeeded, but its result could not be stored." });
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Returns the directory of a handler's files, in the source tree and in the bundle alike. */
export function handlerDirectory(handlerUrl: string): string {
  return dirname(fileURLToPath(handlerUrl));
}
