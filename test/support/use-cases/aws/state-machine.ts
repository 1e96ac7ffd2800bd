import { randomUUID } from "node:crypto";
import { BUSY_ERROR, isBusyError } from "../../../../contract/errors.ts";
import { parseStepCall, type StepState } from "../../../../core/flows/step-call.ts";
import { flowPlanSchema } from "../../../../core/flows/version.ts";
import { runTask } from "../../../../services/flows/runtime/run-task.ts";
import type { Definition, State, TaskState } from "../../../../statemachines/asl.ts";
import { compileFlow } from "../../../../statemachines/compile.ts";
import { until } from "../../until.ts";
import type { RecordedExecution, World } from "../world.ts";

/** The position of an execution: the beginning of a state, with its input. */
export interface Position {
  name: string;
  state: StepState;
}
/** The surroundings of a machine. */
export interface MachineDeps {
  /** Calls function `step`. */
  call: (payload: unknown) => Promise<StepState>;
  /** Waits until a task's token is sent, and returns the output that was sent with it. */
  tokenOutput: (token: string) => Promise<StepState>;
  wait: (seconds: number) => void | Promise<void>;
  /** Whether a failed call of a task that waits for its token fails the task, as on AWS. The local engine ignores the failure. */
  failsHeldTasks?: boolean;
  /** Called before each state, also in parallel branches. An error fails the execution. */
  onEnter?: (position: Position) => void | Promise<void>;
}
interface Options {
  /** Called before each state of the machine. An error ends the run and is thrown. */
  onEnter?: (position: Position) => void;
}
/** The states that run in parallel are abandoned when one of them has failed. */
interface Strand {
  isAbandoned: boolean;
}
class Abandoned extends Error {
  override readonly name = "Abandoned";
}

/** The value at a path such as `$.outcome` or `$`. */
const valueAt = (state: StepState, path: string): unknown =>
  path === "$" ? state : (state as Record<string, unknown>)[path.replace("$.", "")];

/** Replaces the fields with names in `.$` by a part of the state or by the task's token. */
function fillIn(template: Record<string, unknown>, state: StepState, token: string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(template).map(([name, value]) => {
      if (!name.endsWith(".$")) return [name, value];
      return [name.slice(0, -2), value === "$$.Task.Token" ? token : valueAt(state, String(value))];
    }),
  );
}

/** Interprets a compiled state machine as Step Functions does. */
class Interpreter {
  private readonly deps: MachineDeps;

  constructor(deps: MachineDeps) {
    this.deps = deps;
  }

  async run(
    { StartAt, States }: Definition,
    input: StepState,
    { from = StartAt, strands = [] }: { from?: string; strands?: readonly Strand[] } = {},
  ): Promise<StepState> {
    let state = input;
    for (let name: string | undefined = from; name !== undefined; ) {
      const current: State | undefined = States[name];
      if (!current) throw new Error(`There is no state ${name}.`);
      if (strands.some(({ isAbandoned }) => isAbandoned)) throw new Abandoned();
      await this.deps.onEnter?.({ name, state });
      let next: string | undefined;
      try {
        [state, next] = await this.enter(current, state, strands);
      } catch (error) {
        const caught = "Catch" in current ? current.Catch?.[0]?.Next : undefined;
        if (caught === undefined) throw error;
        next = caught;
      }
      name = next;
    }
    return state;
  }

  private async enter(current: State, state: StepState, strands: readonly Strand[]): Promise<[StepState, string | undefined]> {
    const following = "Next" in current ? current.Next : undefined;
    switch (current.Type) {
      case "Task":
        return [await this.task(current, state), following];
      case "Choice":
        return [
          state,
          current.Choices.find(({ Variable, StringEquals }) => valueAt(state, Variable) === StringEquals)?.Next ?? current.Default,
        ];
      case "Wait":
        await this.deps.wait(Number(valueAt(state, current.SecondsPath)));
        return [state, following];
      case "Map": {
        const items = valueAt(state, current.ItemsPath) as string[];
        const { indices: _, outcome: __, ...pointers } = state;
        const inputs = items.map((item) => [current.ItemProcessor, { ...pointers, path: `${state.path}${item}.` }] as const);
        const { MaxConcurrencyPath: path, MaxConcurrency = path === undefined ? 0 : Number(valueAt(state, path)) } = current;
        return [await this.runBeside(inputs, state, { strands, atOnce: MaxConcurrency }), following];
      }
      case "Parallel": {
        const inputs = current.Branches.map((branch) => [branch, state] as const);
        return [await this.runBeside(inputs, state, { strands }), following];
      }
      case "Succeed":
        return [state, undefined];
    }
  }

  private async runBeside(
    inputs: (readonly [Definition, StepState])[],
    state: StepState,
    { strands, atOnce = 0 }: { strands: readonly Strand[]; atOnce?: number },
  ): Promise<StepState> {
    const strand: Strand = { isAbandoned: false };
    try {
      const waiting = inputs.values();
      const lane = async () => {
        for (const [definition, input] of waiting) await this.run(definition, input, { strands: [...strands, strand] });
      };
      await Promise.all(Array.from({ length: Math.min(atOnce || inputs.length, inputs.length) }, lane));
    } catch (error) {
      strand.isAbandoned = true;
      throw error;
    }
    return state;
  }

  private async task(task: TaskState, state: StepState): Promise<StepState> {
    const answer = await this.withRetry(task, () => {
      const token = randomUUID();
      const payload = fillIn(task.Parameters["Payload"] as Record<string, unknown>, state, token);
      return task.Resource.endsWith(".waitForTaskToken") ? this.hold(payload, token) : this.deps.call(payload);
    });
    return task.ResultPath === null ? state : answer;
  }

  private async withRetry<T>({ Retry = [] }: TaskState, attempt: () => Promise<T>): Promise<T> {
    const tries = new Map<object, number>();
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        const name = isBusyError(error) ? BUSY_ERROR : (error as Error).name;
        const retrier = Retry.find(({ ErrorEquals }) => ErrorEquals.includes(name));
        const earlier = retrier ? (tries.get(retrier) ?? 0) : 0;
        if (!retrier || earlier >= retrier.MaxAttempts) throw error;
        tries.set(retrier, earlier + 1);
        const { IntervalSeconds, BackoffRate, MaxDelaySeconds = Number.POSITIVE_INFINITY } = retrier;
        await this.deps.wait(Math.min(IntervalSeconds * BackoffRate ** earlier, MaxDelaySeconds));
      }
    }
  }

  private async hold(payload: unknown, token: string): Promise<StepState> {
    const calling = this.deps.call(payload);
    await (this.deps.failsHeldTasks ? calling : calling.catch(() => undefined));
    return this.deps.tokenOutput(token);
  }
}

/** Runs a machine to the end of its execution, and throws what fails the execution. */
export const interpret = (deps: MachineDeps, definition: Definition, input: StepState): Promise<StepState> =>
  new Interpreter(deps).run(definition, input);

/** Function `step` is called in this process. Waits only move the world's clock. */
const inWorld = (world: World, { onEnter }: Options = {}): MachineDeps => ({
  call: (payload) => runTask(world.deps, parseStepCall(payload)),
  tokenOutput: async (token) => {
    const { output } = await until(() => world.resumed.find((resumed) => resumed.token === token), { what: "the token of a task" });
    return output as StepState;
  },
  wait: (seconds) => {
    world.clock.nowMs += seconds * 1000;
  },
  ...(onEnter ? { onEnter } : {}),
});

/** The machine that the flow of a job is compiled to. */
export async function machineOf(world: World, jobId: string): Promise<Definition> {
  const job = await world.deps.jobs.get(jobId);
  const { value } = flowPlanSchema.parse(JSON.parse(await world.deps.storage.getObjectText(job?.flow?.plan ?? "")));
  return compileFlow(value, { step: "step", title: "test" });
}

/** Runs a machine from a position to its end. A failure in the last state is not an error here, because the job's record contains it. */
export async function continueMachine(world: World, definition: Definition, { name, state }: Position): Promise<void> {
  await new Interpreter(inWorld(world)).run(definition, state, { from: name }).catch(() => undefined);
}

/** Runs an execution that the world has recorded, from its beginning. */
export async function runExecution(world: World, execution: RecordedExecution, options: Options = {}): Promise<void> {
  const definition = await machineOf(world, execution.job);
  const failed = (error: unknown) => {
    if (options.onEnter) throw error;
  };
  await interpret(inWorld(world, options), definition, execution.input as StepState).catch(failed);
  execution.is = "ended";
}
