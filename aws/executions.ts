import {
  CreateStateMachineCommand,
  DeleteStateMachineCommand,
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  InvalidDefinition,
  ListTagsForResourceCommand,
  paginateListStateMachines,
  ResourceNotFound,
  SendTaskSuccessCommand,
  StartExecutionCommand,
  StateMachineAlreadyExists,
  StateMachineDoesNotExist,
  StopExecutionCommand,
  TaskDoesNotExist,
  TaskTimedOut,
} from "@aws-sdk/client-sfn";
import { env, requireEnv } from "../contract/env.ts";
import { stepFunctions } from "./clients.ts";

/** An execution by the name that its job and the number in the job's record give it. */
export interface ExecutionName {
  machine: string;
  job: string;
  n: number;
}
const nameOf = ({ job, n }: ExecutionName) => `${job}.${n}`;
const machineArn = (machine: string) => `${requireEnv(env.statesArn)}:stateMachine:${machine}`;
const executionArn = (execution: ExecutionName) => `${requireEnv(env.statesArn)}:execution:${execution.machine}:${nameOf(execution)}`;

async function tagsOf(resourceArn: string | undefined): Promise<Record<string, string | undefined>> {
  try {
    const { tags = [] } = await stepFunctions().send(new ListTagsForResourceCommand({ resourceArn }));
    return Object.fromEntries(tags.map(({ key = "", value }) => [key, value]));
  } catch (error) {
    if (error instanceof ResourceNotFound) return {};
    throw error;
  }
}
const carries = (tags: Record<string, string | undefined>, wanted: Record<string, string>) =>
  Object.entries(wanted).every(([key, value]) => tags[key] === value);

/** The durable engine behind flows. Everything here may be asked twice: what is there already is an answer. */
export const executions = {
  /** `noMachine`: nothing was started, because the state machine is not there. */
  async start(execution: ExecutionName, input: unknown): Promise<"started" | "noMachine"> {
    try {
      await stepFunctions().send(
        new StartExecutionCommand({
          stateMachineArn: machineArn(execution.machine),
          name: nameOf(execution),
          input: JSON.stringify(input),
        }),
      );
    } catch (error) {
      if (error instanceof StateMachineDoesNotExist) return "noMachine";
      if (!(error instanceof ExecutionAlreadyExists)) throw error;
    }
    return "started";
  },

  /** How an execution is; of one that was stopped or has failed, what was said of it. */
  async status(execution: ExecutionName): Promise<{ is: "running" | "ended" | "stopped" | "none"; reason: string }> {
    try {
      const command = new DescribeExecutionCommand({ executionArn: executionArn(execution) });
      const { status, error, cause } = await stepFunctions().send(command);
      const is = status === "RUNNING" ? "running" : status === "ABORTED" ? "stopped" : "ended";
      return { is, reason: [error, cause].filter(Boolean).join(": ") };
    } catch (error) {
      if (error instanceof ExecutionDoesNotExist) return { is: "none", reason: "" };
      throw error;
    }
  },

  /** Stops an execution; one that has ended, or never was, is no error. */
  async stop(execution: ExecutionName, cause: string): Promise<void> {
    try {
      await stepFunctions().send(
        new StopExecutionCommand({ executionArn: executionArn(execution), error: "Canceled", cause: cause.slice(0, 1000) }),
      );
    } catch (error) {
      if (!(error instanceof ExecutionDoesNotExist)) throw error;
    }
  },

  /** Lets a waiting task go on; one that waits no more is no error. */
  async resume(taskToken: string): Promise<void> {
    try {
      await stepFunctions().send(new SendTaskSuccessCommand({ taskToken, output: "{}" }));
    } catch (error) {
      if (!(error instanceof TaskDoesNotExist || error instanceof TaskTimedOut)) throw error;
    }
  },

  /** Makes a state machine, unless one of this name is there: the name says what is in it. Answers why not, where the definition is refused. */
  async make(name: string, definition: string, roleArn: string, tags: Record<string, string>): Promise<string | undefined> {
    try {
      await stepFunctions().send(
        new CreateStateMachineCommand({
          name,
          definition,
          roleArn,
          tags: Object.entries(tags).map(([key, value]) => ({ key, value })),
        }),
      );
    } catch (error) {
      if (error instanceof InvalidDefinition) return `Step Functions does not take the flow's state machine: ${error.message}`;
      if (!(error instanceof StateMachineAlreadyExists)) throw error;
    }
    return undefined;
  },

  /**
   * Deletes the state machines whose names begin so and that carry all of the tags; those that are gone are no error. True when none is left:
   * it ends early when `inTime` does, and when Step Functions takes no more calls for now.
   */
  async removeMachines(prefix: string, tags: Record<string, string>, inTime: () => boolean): Promise<boolean> {
    try {
      const found: (string | undefined)[] = [];
      for await (const { stateMachines = [] } of paginateListStateMachines({ client: stepFunctions() }, { maxResults: 1000 })) {
        found.push(...stateMachines.filter(({ name }) => name?.startsWith(prefix)).map((machine) => machine.stateMachineArn));
      }
      for (const stateMachineArn of found) {
        if (!inTime()) return false;
        if (!carries(await tagsOf(stateMachineArn), tags)) continue;
        await stepFunctions().send(new DeleteStateMachineCommand({ stateMachineArn }));
      }
    } catch (error) {
      if ((error as Error).name !== "ThrottlingException") throw error;
      return false;
    }
    return true;
  },
};
export type Executions = typeof executions;
