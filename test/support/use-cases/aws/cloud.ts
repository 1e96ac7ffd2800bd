import { randomUUID } from "node:crypto";
import { executionEventSchema } from "../../../../core/flows/history/execution-event.ts";
import { parseStepCall, type StepState } from "../../../../core/flows/step-call.ts";
import { hasEnded } from "../../../../core/jobs/record/job.ts";
import { handleJobMessage } from "../../../../services/execution/handle-job-message.ts";
import { reconcileExecution } from "../../../../services/flows/lifecycle/reconcile.ts";
import { runTask } from "../../../../services/flows/runtime/run-task.ts";
import { type Fault, processesWithFault } from "../failing-writes.ts";
import type { RecordedExecution, World } from "../world.ts";
import { endOfFlow, startFlow } from "../world-flows.ts";
import { LEASE_OVER_MS, resumeDue } from "../world-jobs.ts";
import { interpret, machineOf, type Position } from "./state-machine.ts";

/** The position of an execution. Several executions may run the same machine. */
export type ExecutionPosition = Position & { execution: RecordedExecution };

interface Options {
  /** Strikes one write, counted over all function calls of the run. Its process dies, and AWS repeats its call only where AWS does that. */
  fault?: Fault;
  /** The number of times that housekeeping may resume a run that has stopped moving: none by default, unless there is a fault. */
  looks?: number;
  onEnter?: (position: ExecutionPosition) => void | Promise<void>;
}

/** Runs a flow to its end. Throws where it stops moving before. */
export async function runFlowInCloud(world: World, value: object[] | object, args: object = {}) {
  const run = await startFlow(world, value, args);
  await new Cloud(world).play(run);
  return { run, ...(await endOfFlow(world, run)) };
}

/** A call of a function. It waits while it reads the same running job repeatedly and nothing has changed since. */
interface Call {
  waitsSince?: number | undefined;
}
interface HeldTask {
  execution: RecordedExecution;
  resume: (output: StepState) => void;
  stop: (error: Error) => void;
}

/**
 * Simulates AWS around the use cases: runs every execution that is started, delivers messages and the events of executions, and lets time pass
 * when nothing moves. Each call of a function is a separate process.
 */
export class Cloud {
  private readonly world: World;
  private readonly options: Options;
  private readonly processes: ReturnType<typeof processesWithFault>;
  private readonly begun: Set<RecordedExecution>;
  private readonly calls = new Set<Call>();
  /** The number of changes that a waiting call may see. */
  private changes = 0;
  private readonly machines = new Map<string, ReturnType<typeof machineOf>>();
  private readonly held = new Map<string, HeldTask>();

  constructor(world: World, options: Options = {}) {
    this.world = world;
    this.options = options;
    // The executions of earlier runs in the same world have ended.
    this.begun = new Set(world.started.filter(({ is }) => is !== "running"));
    this.processes = processesWithFault(options.fault, () => {
      this.changes += 1;
    });
  }

  /** The writes of all calls until now. */
  get writes(): readonly string[] {
    return this.processes.writes;
  }

  /** The deaths of one call that can be simulated, each of which leaves a different state. */
  listDeaths(): Fault[] {
    return this.processes.listDeaths();
  }

  /**
   * Runs until the job has ended and no execution makes progress. Throws if the job stops before its end, or if an execution does not end after
   * it.
   */
  async play(job: string): Promise<void> {
    try {
      await this.playToEnd(job);
    } catch (error) {
      for (const execution of this.begun) if (execution.is === "running") execution.is = "stopped";
      throw error;
    }
  }

  private async playToEnd(job: string): Promise<void> {
    const { looks = this.options.fault ? 20 : 0 } = this.options;
    for (let looked = 0; ; looked += 1) {
      await this.playUntilQuiet();
      const now = await this.world.deps.jobs.get(job);
      if (now && hasEnded(now)) break;
      if (looked === looks) throw new Error(`The job is ${now?.state} in its execution ${now?.flow?.execution}, and nothing moves.`);
      this.world.clock.nowMs += LEASE_OVER_MS;
      await resumeDue(this.world);
      this.changes += 1;
    }
    if (this.calls.size > 0) throw new Error(`${this.calls.size} calls still wait after the end of the job.`);
    if (this.held.size > 0) throw new Error(`${this.held.size} tasks still wait for their token after the end of the job.`);
  }

  /** Plays until every call has ended or waits for a job of another one. */
  async playUntilQuiet(): Promise<void> {
    const isBusy = () => [...this.calls].some(({ waitsSince }) => waitsSince !== this.changes);
    for (;;) {
      // A call may have started something right before it ended, so only a round without any call shows that nothing is running.
      const wasBusy = isBusy();
      const isMoving = await this.advance();
      if (!wasBusy && !isMoving && !isBusy()) return;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  /** Makes waiting calls read again what they wait for, after the test has changed it. */
  noteChange(): void {
    this.changes += 1;
  }

  /** Runs the machine of an execution a second time in parallel, under a name that svc does not know. */
  startAgain(execution: RecordedExecution, change: Partial<StepState> = {}): void {
    this.run({ ...execution, input: { ...(execution.input as StepState), ...change }, is: "running" }, { isKnown: false });
  }

  /** Sends function `settle` the event of an execution's end. A failed call is repeated once. */
  async sendStatus(name: string, status: string): Promise<void> {
    const event = executionEventSchema.parse({ detail: { name, status } });
    if (!event) return;
    const { job, execution, stopped } = event;
    const settle = () => this.call((deps) => reconcileExecution(deps, { job, execution }, { stopped }));
    await settle().catch(settle);
  }

  private async advance(): Promise<boolean> {
    const { world } = this;
    const executions = world.started.filter((execution) => !this.begun.has(execution));
    for (const execution of executions) {
      this.begun.add(execution);
      this.run(execution, { isKnown: true });
    }
    const hasMessages = world.takeSent();
    const messages = hasMessages ? await world.messages() : [];
    for (const message of messages) void this.call((deps) => handleJobMessage(deps, message)).catch(() => undefined);
    return this.releaseHeld() > 0 || hasMessages || executions.length > 0;
  }

  private releaseHeld(): number {
    let released = 0;
    for (const [token, { execution, resume, stop }] of this.held) {
      const resumed = this.world.resumed.find((each) => each.token === token);
      if (!resumed && execution.is !== "stopped") continue;
      released += 1;
      this.held.delete(token);
      if (execution.is === "stopped") stop(new Error("The execution was stopped."));
      else resume(resumed?.output as StepState);
    }
    return released;
  }

  private run(execution: RecordedExecution, { isKnown }: { isKnown: boolean }): void {
    const { world, options } = this;
    const name = isKnown ? `${execution.job}.${execution.execution}` : `again-${randomUUID()}`;
    const machine = {
      call: (payload: unknown) => this.call((deps) => runTask(deps, parseStepCall(payload))),
      tokenOutput: (token: string) =>
        new Promise<StepState>((resume, stop) => {
          this.held.set(token, { execution, resume, stop });
        }),
      wait: (seconds: number) => {
        world.clock.nowMs += seconds * 1000;
      },
      onEnter: async (position: Position) => {
        if (execution.is === "stopped") throw new Error("The execution was stopped.");
        await this.track(async () => options.onEnter?.({ ...position, execution }));
      },
    };
    const end = async (status: string | undefined) => {
      const last = execution.is === "stopped" ? "ABORTED" : status;
      if (execution.is === "running") execution.is = "ended";
      if (last) await this.sendStatus(name, last);
    };
    void this.track(async () => {
      const definition = await this.machineFor(execution.job);
      // The execution is tracked by its calls from now on.
      void interpret(machine, definition, execution.input as StepState)
        .then(
          () => end(undefined),
          () => end("FAILED"),
        )
        .catch(() => undefined);
    });
  }

  /** A machine remains when the plan of its flow is deleted. */
  private machineFor(job: string): ReturnType<typeof machineOf> {
    const known = this.machines.get(job) ?? machineOf(this.world, job);
    this.machines.set(job, known);
    return known;
  }

  private call<T>(work: (deps: World["deps"]) => Promise<T>): Promise<T> {
    return this.track((call) => this.processes.play(() => work(this.watchWaiting(call))));
  }

  private async track<T>(work: (call: Call) => Promise<T>): Promise<T> {
    const call: Call = {};
    this.calls.add(call);
    try {
      return await work(call);
    } finally {
      this.calls.delete(call);
    }
  }

  private watchWaiting(call: Call): World["deps"] {
    const { deps } = this.world;
    let [last, lastSince, repeats] = ["", 0, 0];
    const get: typeof deps.jobs.get = async (id, ...rest) => {
      const since = this.changes;
      const job = await deps.jobs.get(id, ...rest);
      repeats = last === id && lastSince === since ? repeats + 1 : 0;
      [last, lastSince] = [id, since];
      call.waitsSince = repeats > 1 && job !== undefined && !hasEnded(job) ? since : undefined;
      return job;
    };
    return { ...deps, jobs: { ...deps.jobs, get } };
  }
}
