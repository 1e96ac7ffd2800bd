import type { FlowModule, FlowValue } from "../contract/flows/flow-value.ts";
import type { ScopeName } from "../core/flows/scopes.ts";
import type { Definition, State, TaskState } from "./asl.ts";

/** Where control goes: a state by its name, or the end of what is being built. */
export type Target = string | typeof END;
export const END = Symbol("the end");

/** Where a module's states lead: after its success, after it stopped what it stands in, after it failed. */
export interface Targets {
  next: Target;
  stop: Target;
  fail: Target;
}

/** Service errors alone: a flow's own retries are loops that one can see, and what a step answers itself is no error. */
const RETRIED = ["Lambda.ServiceException", "Lambda.AWSLambdaException", "Lambda.SdkClientException", "Lambda.TooManyRequestsException"];

/** A task that waits for its token is asked anew each day, in case that it was lost: in a year that is a fifth of what a history holds. */
const HOLD_S = 24 * 3600;

const NAME_CHARS = 80;

/** Names that no state gets: validators take a state named like a part of the language for that part, and `__proto__` is no name in JavaScript. */
const RESERVED = ["States", "Branches", "Iterator", "ItemProcessor", "Parameters", "StartAt", "Next", "Default", "__proto__"];

/** What every list of modules is compiled with. */
export interface Context {
  machine: Machine;
  /** The list's name in the journal. */
  scope: ScopeName;
  value: Pick<FlowValue, "failure_module" | "same_worker">;
  /** Compiles a list inside of a module: answers where it begins. */
  list: (context: Context, modules: readonly FlowModule[], to: Targets) => Target;
}

/** The ways out of a module's task besides those that any module may have, by what function `step` answers. */
export type Ways = (context: Context, module: FlowModule, task: string) => Record<string, Target>;

/** The states of one machine, of a parallel branch or of a parallel loop's body. Names are unique in the whole machine. */
export class Machine {
  private readonly states: Record<string, State> = {};
  private readonly names: Set<string>;
  /** ARN of function `step`. */
  readonly step: string;
  /** Where a loop leads that has grown too long for one execution; the end, inside of what runs in parallel. */
  readonly again: Target;

  constructor(step: string, again: Target, names = new Set(RESERVED)) {
    this.step = step;
    this.again = again;
    this.names = names;
  }

  /** What runs beside others: its states are its own. */
  inner(): Machine {
    return new Machine(this.step, END, this.names);
  }

  /** A name as people read it in the console: cut, and numbered where it is taken. */
  name(wanted: string): string {
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

  add(name: string, state: State): string {
    this.states[name] = state;
    return name;
  }

  /** Calls function `step`. What it throws has been written down: `fail` is where that is looked at. */
  task(name: string, input: Record<string, string>, to: { next: Target; fail?: Target; answers?: boolean; comment?: string }): string {
    const { fail } = to;
    return this.add(name, {
      Type: "Task",
      ...(to.comment ? { Comment: to.comment } : {}),
      Resource: "arn:aws:states:::lambda:invoke",
      Parameters: { FunctionName: this.step, Payload: { ...input, "state.$": "$" } },
      Retry: [{ ErrorEquals: RETRIED, IntervalSeconds: 2, MaxAttempts: 6, BackoffRate: 2 }],
      ...(fail === undefined ? {} : { Catch: [this.catcher(fail)] }),
      // Its answer is the state, or nobody looks at it.
      ...(to.answers ? { OutputPath: "$.Payload" } : { ResultPath: null }),
      ...this.leads(to.next),
    } satisfies TaskState);
  }

  /**
   * Waits until somebody sends the task's token; function `step` is told it. With `goesOn`, what is sent is the state to go on there with; otherwise, and
   * when nobody sends it in time, `next` looks again.
   */
  hold(
    name: string,
    input: Record<string, string>,
    next: string,
    { untilS = HOLD_S, goesOn }: { untilS?: number | undefined; goesOn?: string } = {},
  ): string {
    return this.add(name, {
      Type: "Task",
      Resource: "arn:aws:states:::lambda:invoke.waitForTaskToken",
      Parameters: { FunctionName: this.step, Payload: { ...input, "state.$": "$", "token.$": "$$.Task.Token" } },
      TimeoutSeconds: Math.max(1, Math.min(Math.ceil(untilS), HOLD_S)),
      Catch: [this.catcher(next)],
      ...(goesOn === undefined ? { ResultPath: null } : {}),
      Next: goesOn ?? next,
    });
  }

  /** Where to go by what function `step` has answered. */
  choice(name: string, ways: Record<string, Target>, otherwise: Target): string {
    const Choices = Object.entries(ways).map(([outcome, target]) => ({
      Variable: "$.outcome",
      StringEquals: outcome,
      Next: this.named(target),
    }));
    return this.add(name, { Type: "Choice", Choices, Default: this.named(otherwise) });
  }

  /** So many seconds as function `step` has answered. */
  wait(name: string, next: Target): string {
    return this.add(name, { Type: "Wait", SecondsPath: "$.seconds", ...this.leads(next) });
  }

  catcher(target: Target) {
    return { ErrorEquals: ["States.ALL"] as ["States.ALL"], ResultPath: null, Next: this.named(target) };
  }

  leads(target: Target): { Next: string } | { End: true } {
    return target === END ? { End: true } : { Next: target };
  }

  /** A state's name for what cannot end by itself. */
  private named(target: Target): string {
    if (target !== END) return target;
    this.end ??= this.add(this.name("end"), { Type: "Succeed" });
    return this.end;
  }
  private end: string | undefined;

  definition(StartAt: Target, comment?: string): Definition {
    return { ...(comment ? { Comment: comment } : {}), StartAt: this.named(StartAt), States: this.states };
  }
}

/** Counted as the strictest reader does, in units of UTF-16; no character is cut in two. */
function cut(text: string, units: number): string {
  return text
    .slice(0, units)
    .replace(/[\uD800-\uDBFF]$/, "")
    .trim();
}
