import type { Answer, Answers, Question, ScriptContext } from "./question.ts";
import type { FromWorker, ToWorker } from "./types-worker.ts";

type Kind = Question["kind"];

interface Asked {
  question: Question;
  resolve: (answer: Answer) => void;
}

/** The part of a worker that the client uses. */
export interface TypesWorker {
  postMessage: (message: ToWorker) => void;
  terminate: () => void;
  onmessage: ((event: { data: FromWorker }) => void) | null;
  onerror: ((event: never) => void) | null;
}

/** A slow connection loads the worker in this time. */
export const START_MS = 60_000;
export const ANSWER_MS = 15_000;
export const REST_MS = 10_000;
const MOST_REST_MS = 300_000;

/** A person waits for the first ones. */
const order: readonly Kind[] = ["import", "describe", "complete", "signature", "hover", "check"];

/**
 * Asks the worker with the types, one question at a time. A newer question of a kind takes the place of an older one that still waits. A worker
 * that does not answer is ended, and started again after a rest, which is longer each time: some types and texts take too long in principle.
 */
export class TypeClient {
  private readonly start: () => TypesWorker;
  private readonly onRest: (isResting: boolean) => void;
  private worker: TypesWorker | undefined;
  /** The worker answers. Before, a question waits for its start. */
  isReady = false;
  private current: (Asked & { id: number }) | undefined;
  private readonly waiting = new Map<Kind, Asked>();
  private context: Partial<ScriptContext> = {};
  private lastId = 0;
  private failures = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private restTimer: ReturnType<typeof setTimeout> | undefined;

  /** `onRest`: the types rest, or they are available again. */
  constructor(start: () => TypesWorker, onRest: (isResting: boolean) => void) {
    this.start = start;
    this.onRest = onRest;
  }

  /** Returns the answer, or `undefined` if a newer question came first or the types rest. */
  ask<K extends Kind>(question: Extract<Question, { kind: K }>): Promise<Answers[K] | undefined> {
    if (this.restTimer !== undefined) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.waiting.get(question.kind)?.resolve(undefined);
      this.waiting.set(question.kind, { question, resolve: resolve as (answer: Answer) => void });
      this.send();
    });
  }

  /** Replaces parts of the context. */
  setContext(context: Partial<ScriptContext>): void {
    this.context = { ...this.context, ...context };
    if (this.isReady) this.worker?.postMessage({ context });
  }

  /** Ends the worker. The next question starts it again. */
  end(): void {
    this.stop();
    clearTimeout(this.restTimer);
    this.restTimer = undefined;
    this.failures = 0;
  }

  private send(): void {
    if (!this.worker) {
      this.begin();
      return;
    }
    if (!this.isReady || this.current) return;
    const kind = order.find((each) => this.waiting.has(each));
    const next = kind && this.waiting.get(kind);
    if (!next) return;
    this.waiting.delete(kind);
    this.current = { ...next, id: ++this.lastId };
    this.expectWithin(ANSWER_MS);
    this.worker.postMessage({ id: this.current.id, question: next.question });
  }

  private begin(): void {
    const worker = this.start();
    this.worker = worker;
    this.expectWithin(START_MS);
    worker.onerror = () => this.fail();
    worker.onmessage = ({ data }) => {
      clearTimeout(this.timer);
      if (data.id === undefined) {
        this.isReady = true;
        if (Object.keys(this.context).length > 0) worker.postMessage({ context: this.context });
      } else {
        const { question, resolve } = this.current ?? {};
        this.current = undefined;
        // Other questions need a part of the types only.
        if (question?.kind === "check") this.failures = 0;
        resolve?.(data.answer);
      }
      this.send();
    };
  }

  private expectWithin(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.fail(), ms);
  }

  private fail(): void {
    this.stop();
    this.failures++;
    this.onRest(true);
    this.restTimer = setTimeout(
      () => {
        this.restTimer = undefined;
        this.onRest(false);
      },
      Math.min(MOST_REST_MS, REST_MS * 2 ** (this.failures - 1)),
    );
  }

  private stop(): void {
    clearTimeout(this.timer);
    if (this.worker) {
      this.worker.onmessage = null;
      this.worker.onerror = null;
      this.worker.terminate();
    }
    this.worker = undefined;
    this.isReady = false;
    for (const { resolve } of [...this.waiting.values(), ...(this.current ? [this.current] : [])]) resolve(undefined);
    this.waiting.clear();
    this.current = undefined;
  }
}
