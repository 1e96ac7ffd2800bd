import { randomUUID } from "node:crypto";
import { parseStepCall, type StepState } from "../../../core/flows/step-call.ts";
import { flowPlanSchema } from "../../../core/flows/version.ts";
import { runTask } from "../../../services/flows/runtime/run-task.ts";
import type { Definition, State, TaskState } from "../../../statemachines/asl.ts";
import { compileFlow } from "../../../statemachines/compile.ts";
import { until } from "../until.ts";
import type { RecordedExecution, Room } from "./room.ts";

/** The position of an execution: the beginning of a state, with its input. */
export interface Position {
  name: string;
  state: StepState;
}
interface Options {
  /** Called before each state of the machine. An error ends the run and is thrown. */
  onEnter?: (position: Position) => void;
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

/** Interprets a compiled state machine as Step Functions does, with function `step` called in this process. Waits only move the room's clock. */
class Interpreter {
  private readonly room: Room;

  constructor(room: Room) {
    this.room = room;
  }

  async run(
    { StartAt, States }: Definition,
    input: StepState,
    { from = StartAt, onEnter }: Options & { from?: string } = {},
  ): Promise<StepState> {
    let state = input;
    for (let name: string | undefined = from; name !== undefined; ) {
      const current: State | undefined = States[name];
      if (!current) throw new Error(`There is no state ${name}.`);
      onEnter?.({ name, state });
      let next: string | undefined;
      try {
        [state, next] = await this.enter(current, state);
      } catch (error) {
        const caught = "Catch" in current ? current.Catch?.[0]?.Next : undefined;
        if (caught === undefined) throw error;
        next = caught;
      }
      name = next;
    }
    return state;
  }

  private async enter(current: State, state: StepState): Promise<[StepState, string | undefined]> {
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
        this.room.clock.nowMs += Number(valueAt(state, current.SecondsPath)) * 1000;
        return [state, following];
      case "Map": {
        const items = valueAt(state, current.ItemsPath) as string[];
        const { indices: _, outcome: __, ...pointers } = state;
        await Promise.all(items.map((item) => this.run(current.ItemProcessor, { ...pointers, path: `${state.path}${item}.` })));
        return [state, following];
      }
      case "Parallel":
        await Promise.all(current.Branches.map((branch) => this.run(branch, state)));
        return [state, following];
      case "Succeed":
        return [state, undefined];
    }
  }

  private async task(task: TaskState, state: StepState): Promise<StepState> {
    const token = randomUUID();
    const answer = await runTask(
      this.room.deps,
      parseStepCall(fillIn(task.Parameters["Payload"] as Record<string, unknown>, state, token)),
    );
    if (!task.Resource.endsWith(".waitForTaskToken")) return task.ResultPath === null ? state : answer;
    const { output } = await until(() => this.room.resumed.find((resumed) => resumed.token === token), { what: "the token of a task" });
    return task.ResultPath === null ? state : (output as StepState);
  }
}

/** The machine that the flow of a job is compiled to. */
export async function machineOf(room: Room, jobId: string): Promise<Definition> {
  const job = await room.deps.jobs.get(jobId);
  const { value } = flowPlanSchema.parse(JSON.parse(await room.deps.storage.getText(job?.flow?.plan ?? "")));
  return compileFlow(value, { step: "step", title: "test" });
}

/** Runs a machine from a position to its end. A failure in the last state is not an error here, because the job's record contains it. */
export async function continueMachine(room: Room, definition: Definition, { name, state }: Position): Promise<void> {
  await new Interpreter(room).run(definition, state, { from: name }).catch(() => undefined);
}

/** Runs an execution that the room has recorded, from its beginning. */
export async function runExecution(room: Room, execution: RecordedExecution, options: Options = {}): Promise<void> {
  const definition = await machineOf(room, execution.job);
  const failed = (error: unknown) => {
    if (options.onEnter) throw error;
  };
  await new Interpreter(room).run(definition, execution.input as StepState, options).catch(failed);
  execution.is = "ended";
}
