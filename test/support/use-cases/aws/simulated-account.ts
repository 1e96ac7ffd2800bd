import { AsyncLocalStorage } from "node:async_hooks";
import { ExecutionAlreadyExists, ExecutionDoesNotExist } from "@aws-sdk/client-sfn";
import { functions } from "../../../../aws/lambda/functions.ts";
import { executions } from "../../../../aws/stepfunctions/executions.ts";
import { env } from "../../../../contract/env.ts";
import { executionEventSchema } from "../../../../core/flows/history/execution-event.ts";
import { parseStepCall, type StepState } from "../../../../core/flows/step-call.ts";
import { type JobMessage, toJobMessage } from "../../../../core/jobs/record/lifecycle.ts";
import { jobExecutors } from "../../../../functions/shared/wiring/job-executors.ts";
import type { RunRequest } from "../../../../runners/protocol.ts";
import { handleDeadLetter } from "../../../../services/execution/endings/handle-dead-letter.ts";
import { handleJobMessage } from "../../../../services/execution/handle-job-message.ts";
import { flowCancellation } from "../../../../services/flows/lifecycle/cancel.ts";
import { reconcileExecution } from "../../../../services/flows/lifecycle/reconcile.ts";
import { runTask } from "../../../../services/flows/runtime/run-task.ts";
import { connectGatedFlows } from "../../../../services/flows/runtime/waiting/gated-flows.ts";
import type { World } from "../world.ts";
import { resumeDue } from "../world-jobs.ts";
import { type AwsCall, awsErrors, callReplaced, inAccount, outsideAccount } from "./aws-faults.ts";
import { interpret, machineOf } from "./state-machine.ts";

type Refusal = { error: Error; applied?: boolean } | undefined;
interface Options {
  /** Decides which calls of AWS fail, at the simulated time in milliseconds since the start. */
  refuse: (call: AwsCall, atMs: number) => Refusal;
  /** The acts of people, which happen every 20 s when nothing else moves. */
  onQuiet?: () => Promise<void>;
  /** The number of messages that workers handle at once. */
  workers?: number;
  /** Lambda's quota of executions at once. */
  quota?: number;
  /** Whether the executions of flows are run, or only recorded. */
  playsExecutions?: boolean;
}

/** A message in the queue: hidden until a time, and received so many times. */
interface QueuedMessage {
  message: JobMessage;
  visibleAtMs: number;
  receives: number;
  /** The number of function calls in the chain of messages that led to this one. */
  chain: number;
}
interface StartedExecution {
  arn: string;
  state: StepState;
  status: "RUNNING" | "SUCCEEDED" | "FAILED" | "ABORTED";
  stop: (error: Error) => void;
}

/** The duration of a run. Everything else takes no simulated time. */
const RUN_MS = 700;
const VISIBILITY_MS = 960_000;
const MAX_RECEIVES = 5;
const MINUTE_MS = 60_000;
const QUIET_EVERY_MS = 20_000;
/** A poll lasts at least this long, because each one is a call of the engine. */
const MIN_PAUSE_MS = 15_000;

/** A call of a function. It is idle while it waits for the clock. */
interface FunctionCall {
  pauses: number;
  chain: number;
}
const currentCall = new AsyncLocalStorage<FunctionCall>();

/**
 * Simulates an account with its own clock: queue, dead-letter queue, Step Functions, Lambda's invocations and the schedule. Tables and the bucket are
 * those of the engine. The clock moves only when every call of a function waits for it.
 */
export class SimulatedAccount {
  readonly deps: World["deps"];
  /** Runs of scripts, and messages that were sent and received, by job. */
  readonly runs = new Map<string, number>();
  readonly sent = new Map<string, number>();
  readonly received = new Map<string, number>();
  readonly executions = new Map<string, StartedExecution>();
  deadLetters = 0;
  refused: Record<string, number> = {};
  /** The most executions of functions at once. */
  mostAtOnce = 0;
  /** The longest chain of function calls through the queue. */
  longestChain = 0;
  private readonly world: World;
  private readonly options: Options;
  private readonly startMs: number;
  private readonly calls = new Set<FunctionCall>();
  private timers: { atMs: number; fire: () => void }[] = [];
  private messages: QueuedMessage[] = [];
  private readonly held = new Map<string, (output: StepState) => void>();
  private working = 0;
  private running = 0;
  private awsCalls = 0;
  private nextTickMs: number;
  private nextQuietMs = 0;

  constructor(world: World, options: Options) {
    this.world = world;
    this.options = options;
    this.startMs = world.clock.nowMs;
    this.nextTickMs = this.startMs + MINUTE_MS;
    process.env[env.runnerFunctions] = JSON.stringify({ bun: "runner" });
    process.env[env.flowsFunction] = "flows";
    const { dataKeys } = world.deps;
    const replaced = <A extends unknown[], T>(service: AwsCall["service"], operation: string, work: (...args: A) => Promise<T>) => {
      return (...args: A) => callReplaced({ service, operation, input: {} }, () => work(...args));
    };
    const adapters = {
      ...world.deps,
      executions,
      functions,
      dataKeys: { generate: replaced("KMS", "GenerateDataKey", dataKeys.generate), unwrap: replaced("KMS", "Decrypt", dataKeys.unwrap) },
      queue: {
        sendMessage: async (...[job, delayS = 0]: Parameters<typeof world.deps.queue.sendMessage>) => this.send(toJobMessage(job), delayS),
        sendMessages: async (messages: Parameters<typeof world.deps.queue.sendMessages>[0]) => {
          const sent = await Promise.allSettled(messages.map(({ job, delayS }) => this.send(toJobMessage(job), delayS)));
          return sent.flatMap((each, index) =>
            each.status === "rejected" ? [{ id: messages[index]?.job.id ?? "", error: each.reason as Error }] : [],
          );
        },
        postponeMessage: (message: JobMessage, delayS: number) => this.send(message, delayS),
        sendFollowUp: ({ id }: { id: string }) => this.send({ job: id, followUp: true }),
      },
      pause: (ms: number) => this.sleep(Math.max(ms, MIN_PAUSE_MS)),
    };
    this.deps = {
      ...adapters,
      ...jobExecutors(adapters),
      onJobCanceled: [flowCancellation(adapters)],
      gatedFlows: connectGatedFlows(adapters),
    };
  }

  get elapsedMs(): number {
    return this.world.clock.nowMs - this.startMs;
  }

  /** Sends a message to a queue. */
  async send(message: JobMessage, delayS = 0): Promise<void> {
    const chain = currentCall.getStore()?.chain ?? 0;
    await callReplaced({ service: "SQS", operation: "SendMessage", input: {} }, async () => {
      count(this.sent, message.job);
      this.messages.push({ message, visibleAtMs: this.world.clock.nowMs + delayS * 1000, receives: 0, chain });
    });
  }

  /** Plays until `isDone` and nothing moves. Throws if that takes longer than `maxMs` of the simulated time. */
  async play(isDone: () => Promise<boolean>, maxMs: number): Promise<void> {
    for (;;) {
      await this.untilQuiet();
      if (this.world.clock.nowMs >= this.nextQuietMs) {
        this.nextQuietMs = this.world.clock.nowMs + QUIET_EVERY_MS;
        await this.options.onQuiet?.();
      }
      if (this.dispatch() || this.isBusy()) continue;
      if (this.messages.length === 0 && this.calls.size === 0 && (await isDone())) return;
      if (this.elapsedMs > maxMs)
        throw new Error(`After ${maxMs / 1000} s there are ${this.messages.length} messages and ${this.calls.size} calls.`);
      this.advance();
    }
  }

  /** Does work whose calls go to this account, as one call of a function. */
  call<T>(work: () => Promise<T>, chain = 0): Promise<T> {
    const call: FunctionCall = { pauses: 0, chain };
    this.longestChain = Math.max(this.longestChain, chain);
    this.calls.add(call);
    const account = {
      refuse: (request: AwsCall) => this.refuse(request),
      answer: (request: AwsCall) => this.answer(request),
      onCall: (change: 1 | -1) => {
        this.awsCalls += change;
      },
    };
    return currentCall.run(call, () => inAccount(account, work)).finally(() => this.calls.delete(call));
  }

  private refuse(request: AwsCall): Refusal {
    const refusal = this.options.refuse(request, this.elapsedMs) ?? this.refuseBeyondQuota(request);
    if (refusal) {
      const name = `${request.service} ${refusal.error.name}`;
      this.refused[name] = (this.refused[name] ?? 0) + 1;
    }
    return refusal;
  }

  private refuseBeyondQuota({ operation }: AwsCall): Refusal {
    const { quota = Number.POSITIVE_INFINITY } = this.options;
    if (operation !== "Invoke") return undefined;
    const atOnce = this.calls.size + this.running;
    if (atOnce >= quota) return { error: awsErrors.quotaFull() };
    this.mostAtOnce = Math.max(this.mostAtOnce, atOnce + 1);
    return undefined;
  }

  private async sleep(ms: number): Promise<void> {
    const call = currentCall.getStore();
    if (call) call.pauses += 1;
    await new Promise<void>((fire) => this.timers.push({ atMs: this.world.clock.nowMs + ms, fire }));
    if (call) call.pauses -= 1;
  }

  private isBusy(): boolean {
    return this.awsCalls > 0 || [...this.calls].some(({ pauses }) => pauses === 0);
  }

  private async untilQuiet(): Promise<void> {
    for (let quiet = 0; quiet < 2; quiet = this.isBusy() ? 0 : quiet + 1) await new Promise((resolve) => setTimeout(resolve, 1));
  }

  /** Moves the clock to the next event. */
  private advance(): void {
    const { clock } = this.world;
    const free = this.working < (this.options.workers ?? 100);
    const times = [
      this.nextTickMs,
      ...this.timers.map(({ atMs }) => atMs),
      ...(free ? this.messages.map(({ visibleAtMs }) => visibleAtMs) : []),
    ];
    clock.nowMs = Math.max(clock.nowMs, Math.min(...times));
    const due = this.timers.filter(({ atMs }) => atMs <= clock.nowMs);
    this.timers = this.timers.filter(({ atMs }) => atMs > clock.nowMs);
    for (const { fire } of due) fire();
    if (clock.nowMs < this.nextTickMs) return;
    this.nextTickMs += MINUTE_MS;
    const world = { ...this.world, deps: this.deps } as World;
    if (this.refuse({ service: "Lambda", operation: "Invoke", input: { FunctionName: "housekeeping" } })) return;
    // The next tick finds what this one could not do.
    void this.call(() => resumeDue(world)).catch(() => undefined);
  }

  /** Hands visible messages to workers. Returns whether there were any. */
  private dispatch(): boolean {
    const { nowMs } = this.world.clock;
    const visible = this.messages.filter(({ visibleAtMs }) => visibleAtMs <= nowMs).slice(0, (this.options.workers ?? 100) - this.working);
    for (const queued of visible) {
      queued.receives += 1;
      queued.visibleAtMs = nowMs + VISIBILITY_MS;
      const isDead = queued.receives > MAX_RECEIVES;
      if (isDead) this.deadLetters += 1;
      count(this.received, queued.message.job);
      // Lambda's poller has received the message, but no worker takes it.
      if (this.refuse({ service: "Lambda", operation: "Invoke", input: { FunctionName: "worker" } })) continue;
      this.working += 1;
      const handle = async () => (isDead ? handleDeadLetter(this.deps, queued.message) : handleJobMessage(this.deps, queued.message));
      void this.call(handle, queued.chain + 1)
        .then(() => {
          this.messages = this.messages.filter((each) => each !== queued);
        })
        .catch(() => undefined)
        .finally(() => {
          this.working -= 1;
        });
    }
    return visible.length > 0;
  }

  private async answer({ operation, input }: AwsCall): Promise<object> {
    switch (operation) {
      case "Invoke":
        return { Payload: Buffer.from(JSON.stringify(await this.invoke(input))) };
      case "StartExecution":
        return this.startExecution(input);
      case "DescribeExecution": {
        const found = this.executions.get(String(input["executionArn"]));
        if (!found) throw new ExecutionDoesNotExist({ $metadata: {}, message: "no" });
        return { status: found.status };
      }
      case "StopExecution": {
        const found = this.executions.get(String(input["executionArn"]));
        found?.stop(new Error("The execution was stopped."));
        return {};
      }
      case "SendTaskSuccess":
        this.held.get(String(input["taskToken"]))?.(JSON.parse(String(input["output"])) as StepState);
        return {};
      default:
        throw new Error(`This account does not know ${operation}.`);
    }
  }

  private async invoke({ FunctionName, Payload }: Record<string, unknown>): Promise<unknown> {
    const request = JSON.parse(String(Payload)) as unknown;
    if (FunctionName === "flows") return this.world.deps.functions.createStateMachine(request as never);
    const run = request as RunRequest;
    count(this.runs, run.job);
    for (const { env: own } of run.next?.runs ?? []) if (own["WM_JOB_ID"]) count(this.runs, own["WM_JOB_ID"]);
    this.running += 1;
    await this.sleep(RUN_MS);
    this.running -= 1;
    const answer = await this.world.answers.run(run);
    return answer.kind === "outcome" ? answer.outcome : null;
  }

  private startExecution({ stateMachineArn, name, input }: Record<string, unknown>): object {
    const arn = `${String(stateMachineArn).replace(":stateMachine:", ":execution:")}:${String(name)}`;
    if (this.executions.has(arn)) throw new ExecutionAlreadyExists({ $metadata: {}, message: "exists" });
    const stopped = Promise.withResolvers<never>();
    stopped.promise.catch(() => undefined);
    const execution: StartedExecution = { arn, state: JSON.parse(String(input)) as StepState, status: "RUNNING", stop: stopped.reject };
    this.executions.set(arn, execution);
    if (this.options.playsExecutions ?? true) void this.playExecution(execution, String(name), stopped.promise);
    return { executionArn: arn };
  }

  /** Plays an execution outside of the call that has started it. */
  private async playExecution(execution: StartedExecution, name: string, stopped: Promise<never>): Promise<void> {
    await outsideAccount(() =>
      currentCall.exit(async () => {
        const machine = {
          call: (payload: unknown) => Promise.race([this.callStep(payload), stopped]),
          tokenOutput: (token: string) => Promise.race([new Promise<StepState>((resume) => this.held.set(token, resume)), stopped]),
          wait: (seconds: number) => Promise.race([this.sleep(seconds * 1000), stopped]),
          failsHeldTasks: true,
        };
        const loading: FunctionCall = { pauses: 0, chain: 0 };
        this.calls.add(loading);
        const definition = await machineOf(this.world, execution.state.job).finally(() => this.calls.delete(loading));
        try {
          await interpret(machine, definition, execution.state);
          execution.status = "SUCCEEDED";
        } catch {
          execution.status = "FAILED";
          await this.sendStatus(name);
        }
      }),
    );
  }

  private async callStep(payload: unknown): Promise<StepState> {
    const refused = this.refuse({ service: "Lambda", operation: "Invoke", input: { FunctionName: "step" } });
    // Step Functions names the errors of Lambda in this way.
    if (refused) throw Object.assign(new Error("throttled"), { name: `Lambda.${refused.error.name}` });
    return this.call(() => runTask(this.deps, parseStepCall(payload)));
  }

  /** Invokes `settle` with the end of an execution, three times at most. */
  private async sendStatus(name: string): Promise<void> {
    const event = executionEventSchema.parse({ detail: { name, status: "FAILED" } });
    if (!event) return;
    for (let tries = 0; tries < 3; tries += 1) {
      try {
        return await this.call(() => reconcileExecution(this.deps, event));
      } catch {
        await this.sleep(MINUTE_MS);
      }
    }
  }
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
