import { BUSY_ERROR } from "../contract/errors.ts";
import type { FlowModule, FlowValue } from "../contract/flows/flow-value.ts";
import type { ScopeName } from "../core/flows/scopes.ts";
import type { Definition, State, TaskState } from "./asl.ts";

/** The target of a transition: the name of a state, or the end of the list. */
export type Target = string | typeof END;
export const END = Symbol("the end");

/** The targets of a module: after success, after a stop of its list, and after failure. */
export interface Targets {
  next: Target;
  stop: Target;
  fail: Target;
}

/**
 * No execution of `step` was free, or AWS refused a call of `step`. The flow is not at fault, so the call is retried for more than a day. 5,000
 * attempts take three fifths of the events that a history may have.
 */
const RETRY_BUSY = {
  ErrorEquals: ["Lambda.TooManyRequestsException", BUSY_ERROR],
  IntervalSeconds: 2,
  MaxAttempts: 5000,
  BackoffRate: 2,
  MaxDelaySeconds: 60,
  JitterStrategy: "FULL" as const,
};
/** Only errors of the service are retried here. A flow's own retries are visible loops, and the result of a step is never an error. */
const RETRY_FAILURE = {
  ErrorEquals: ["Lambda.ServiceException", "Lambda.AWSLambdaException", "Lambda.SdkClientException"],
  IntervalSeconds: 2,
  MaxAttempts: 6,
  BackoffRate: 2,
};

/** A waiting task is entered again each day, in case its token is lost. In a year, this uses a fifth of the history. */
const MAX_WAIT_S = 24 * 3600;

const NAME_CHARS = 80;

/** Names that states must not have: validators confuse them with elements of the language, and `__proto__` is special in JavaScript. */
const RESERVED = ["States", "Branches", "Iterator", "ItemProcessor", "Parameters", "StartAt", "Next", "Default", "__proto__"];

/** The context in which a list of modules is compiled. */
export interface Context {
  machine: Machine;
  /** The list's name in the journal. */
  scope: ScopeName;
  value: Pick<FlowValue, "failure_module" | "same_worker">;
  /** Compiles a list inside a module and returns its first state. */
  list: (context: Context, modules: readonly FlowModule[], to: Targets) => Target;
}

/** Compiles the transitions that are specific to the kind of a module, by the outcome that function `step` returns. */
export type OutcomeCompiler = (context: Context, module: FlowModule, task: string) => Record<string, Target>;

/** The states of one machine, of a parallel branch or of a parallel loop's body. Names are unique in the whole machine. */
export class Machine {
  private readonly states: Record<string, State> = {};
  private readonly names: Set<string>;
  /** ARN of function `step`. */
  readonly step: string;
  /** The next state of a loop that is too long for one execution. Inside parallel lists, it is the end. */
  readonly again: Target;

  constructor(step: string, again: Target, names = new Set(RESERVED)) {
    this.step = step;
    this.again = again;
    this.names = names;
  }

  /** Creates a machine for a parallel list, which has its own states. */
  createInner(): Machine {
    return new Machine(this.step, END, this.names);
  }

  /** Reserves a name for the console: shortened, and numbered if it is taken. */
  reserveName(wanted: string): string {
    const clean = wanted
      .normalize("NFC")
      .replaceAll(/[^\p{L}\p{M}\p{N} _.,:()#/-]/gu, " ")
      .replaceAll(/\s+/g, " ")
      .trim();
    for (let copy = 1; ; copy += 1) {
      const suffix = copy === 1 ? "" : ` (${copy})`;
      const name = `${cut(clean, NAME_CHARS - suffix.length)}${suffix}`;
      if (this.names.has(name)) continue;
      this.names.add(name);
      return name;
    }
  }

  addState(name: string, state: State): string {
    this.states[name] = state;
    return name;
  }

  /** Adds a call of function `step`. The function records its failures, and `fail` handles them. */
  addTask(
    name: string,
    input: Record<string, string>,
    to: { next: Target; fail?: Target; returnsState?: boolean; comment?: string },
  ): string {
    const { fail } = to;
    return this.addState(name, {
      Type: "Task",
      ...(to.comment ? { Comment: to.comment } : {}),
      Resource: "arn:aws:states:::lambda:invoke",
      Parameters: { FunctionName: this.step, Payload: { ...input, "state.$": "$" } },
      Retry: [RETRY_BUSY, RETRY_FAILURE],
      ...(fail === undefined ? {} : { Catch: [this.catcher(fail)] }),
      // The result is the new state, or it is ignored.
      ...(to.returnsState ? { OutputPath: "$.Payload" } : { ResultPath: null }),
      ...this.toTransition(to.next),
    } satisfies TaskState);
  }

  /**
   * Adds a task that waits for its token, which function `step` receives. With `resumesAt`, the callback contains the state with which that
   * state continues. Otherwise, and after a timeout, `next` is entered again.
   */
  addWaitTask(
    name: string,
    input: Record<string, string>,
    next: string,
    { untilS = MAX_WAIT_S, resumesAt }: { untilS?: number | undefined; resumesAt?: string } = {},
  ): string {
    return this.addState(name, {
      Type: "Task",
      Resource: "arn:aws:states:::lambda:invoke.waitForTaskToken",
      Parameters: { FunctionName: this.step, Payload: { ...input, "state.$": "$", "token.$": "$$.Task.Token" } },
      TimeoutSeconds: Math.max(1, Math.min(Math.ceil(untilS), MAX_WAIT_S)),
      // Each attempt has a separate token.
      Retry: [RETRY_BUSY],
      Catch: [this.catcher(next)],
      ...(resumesAt === undefined ? { ResultPath: null } : {}),
      Next: resumesAt ?? next,
    });
  }

  /** Adds a choice by the outcome that function `step` has returned. */
  addChoice(name: string, outcomes: Record<string, Target>, otherwise: Target): string {
    const Choices = Object.entries(outcomes).map(([outcome, target]) => ({
      Variable: "$.outcome",
      StringEquals: outcome,
      Next: this.stateName(target),
    }));
    return this.addState(name, { Type: "Choice", Choices, Default: this.stateName(otherwise) });
  }

  /** Adds a wait of the number of seconds that function `step` has returned. */
  addWait(name: string, next: Target): string {
    return this.addState(name, { Type: "Wait", SecondsPath: "$.seconds", ...this.toTransition(next) });
  }

  catcher(target: Target) {
    return { ErrorEquals: ["States.ALL"] as ["States.ALL"], ResultPath: null, Next: this.stateName(target) };
  }

  toTransition(target: Target): { Next: string } | { End: true } {
    return target === END ? { End: true } : { Next: target };
  }

  /** Returns the name of a target. The end becomes a state of type `Succeed`, for transitions that must name a state. */
  private stateName(target: Target): string {
    if (target !== END) return target;
    this.end ??= this.addState(this.reserveName("end"), { Type: "Succeed" });
    return this.end;
  }
  private end: string | undefined;

  definition(StartAt: Target, comment?: string): Definition {
    return { ...(comment ? { Comment: comment } : {}), StartAt: this.stateName(StartAt), States: this.states };
  }
}

/** Shortens a text in UTF-16 units, as the strictest validator counts. Surrogate pairs remain whole. */
function cut(text: string, units: number): string {
  return text
    .slice(0, units)
    .replace(/[\uD800-\uDBFF]$/, "")
    .trim();
}
