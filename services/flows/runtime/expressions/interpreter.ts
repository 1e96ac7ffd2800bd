import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { EXPRESSION_MS, TOO_LONG } from "../../../../core/expressions/expression-time.ts";
import type { Evaluation, Interpretation } from "../../../../core/expressions/interpret.ts";
import type { ThreadReply } from "./interpreter-thread.ts";

/**
 * The limit after which a thread is terminated. A native loop of the interpreter cannot be interrupted otherwise. It is larger than the
 * interpreter's own limit, so that a thread is lost only where that limit had no effect.
 */
const TERMINATE_MS = 2 * EXPRESSION_MS;
/** The limit of elapsed time, on a busy machine or on a system that does not report the processor time of a thread. */
const ELAPSED_MS = 10_000;
const CHECK_MS = 100;
const HEAP_MB = 256;
const OUT_OF_MEMORY = "it exceeded the memory of the interpreter.";

interface Thread {
  worker: Worker;
  /** The folder in which Linux describes the thread; empty on other systems. */
  folder: string;
}

/** Started on first use, because few calls need it, and replaced after it was terminated. */
let thread: Promise<Thread> | undefined;
/** A thread evaluates one expression at a time. */
let last: Promise<unknown> = Promise.resolve();

/** Evaluates an expression in the interpreter's thread, after the evaluations that were requested before. */
export function evaluateInThread(evaluation: Evaluation): Promise<Interpretation> {
  const next = last.then(() => evaluateNext(evaluation));
  // The caller receives the error. The next evaluation does not depend on it.
  last = next.catch(() => undefined);
  return next;
}

async function evaluateNext(evaluation: Evaluation): Promise<Interpretation> {
  thread ??= startThread();
  let started: Thread;
  try {
    started = await thread;
  } catch (error) {
    thread = undefined;
    throw error;
  }
  started.worker.ref();
  try {
    return await requestEvaluation(started, evaluation);
  } finally {
    // An idle thread does not prevent the end of the process.
    started.worker.unref();
  }
}

async function startThread(): Promise<Thread> {
  // The chunk of a bundle that contains this module; only its URL is used here.
  const { threadData, threadUrl } = await import("./interpreter-thread.ts");
  // The thread has no environment variables, so no credentials either.
  const worker = new Worker(threadUrl, {
    workerData: threadData,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  // Late errors of a thread that was terminated concern no evaluation.
  worker.on("error", () => undefined);
  const folder = await listenOnce<string>(worker);
  return { worker, folder };
}

/** Returns the processor time of a thread (ms), in steps of 10 ms; `undefined` if the system does not report it. */
function readThreadMs(folder: string): number | undefined {
  if (folder === "") return undefined;
  try {
    const stat = readFileSync(`${folder}/stat`, "utf8");
    // The name of the thread, in brackets, may contain spaces.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    // The thread has just ended, and its folder with it.
    return undefined;
  }
}

/** Waits for the next reply of a thread. Rejects if the thread ends. Removing all listeners of a worker would also stop its replies. */
function listenOnce<T>(worker: Worker): Promise<T> {
  return new Promise((resolve, reject) => {
    const onMessage = (reply: T) => settle(() => resolve(reply));
    const onError = (error: Error) => settle(() => reject(error));
    const onExit = (code: number) => settle(() => reject(new Error(`The thread of the interpreter ended with code ${code}.`)));
    const settle = (end: () => void) => {
      worker.off("message", onMessage).off("error", onError).off("exit", onExit);
      end();
    };
    worker.on("message", onMessage).on("error", onError).on("exit", onExit);
  });
}

async function requestEvaluation({ worker, folder }: Thread, evaluation: Evaluation): Promise<Interpretation> {
  const reply = listenOnce<ThreadReply>(worker);
  worker.postMessage(evaluation);
  const startedMs = performance.now();
  let beforeMs: number | undefined;
  let isTooLong = false;
  const check = setInterval(() => {
    const usedMs = readThreadMs(folder) ?? 0;
    beforeMs ??= usedMs;
    isTooLong = usedMs - beforeMs > TERMINATE_MS || performance.now() - startedMs > ELAPSED_MS;
    // The end of the thread ends the wait for its reply.
    if (isTooLong) dropThread(worker);
  }, CHECK_MS);
  try {
    const { broken, ...result } = await reply;
    if (broken) dropThread(worker);
    return result;
  } catch (error) {
    dropThread(worker);
    if (isTooLong) return { ok: false, reason: TOO_LONG };
    if ((error as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY") return { ok: false, reason: OUT_OF_MEMORY };
    throw error;
  } finally {
    clearInterval(check);
  }
}

/** Terminates a thread. The next evaluation starts another one. */
function dropThread(worker: Worker): void {
  thread = undefined;
  void worker.terminate();
}
