import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
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
  async status(execution: ExecutionName): Promise<{ is: "running" | "ended" | "none"; reason: string }> {
    try {
      const command = new DescribeExecutionCommand({ executionArn: executionArn(execution) });
      const { status, error, cause } = await stepFunctions().send(command);
      return { is: status === "RUNNING" ? "running" : "ended", reason: [error, cause].filter(Boolean).join(": ") };
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

  /** Makes a state machine, unless one of this name is there: the name says what is in it. */
  async make(name: string, definition: string, roleArn: string, tags: Record<string, string>): Promise<void> {
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
      if (!(error instanceof StateMachineAlreadyExists)) throw error;
    }
  },
};
export type Executions = typeof executions;
