import {
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  InvalidToken,
  SendTaskSuccessCommand,
  StartExecutionCommand,
  StateMachineDeleting,
  StateMachineDoesNotExist,
  StopExecutionCommand,
  TaskDoesNotExist,
  TaskTimedOut,
} from "@aws-sdk/client-sfn";
import { env, requireEnv } from "../../contract/env.ts";
import { buildConsoleUrl } from "../../core/flows/history/console-url.ts";
import { STOPPED_BY_SERVICE } from "../../core/flows/history/execution-event.ts";
import type { DescribeStateMachine, ExecutionName, Executions } from "../../ports/executions.ts";
import { stepFunctions } from "../sdk/clients.ts";

const nameOf = ({ job, execution }: ExecutionName) => `${job}.${execution}`;
const machineArn = (machine: string) => `${requireEnv(env.statesArn)}:stateMachine:${machine}`;
const executionArn = (execution: ExecutionName) => `${requireEnv(env.statesArn)}:execution:${execution.machine}:${nameOf(execution)}`;

/** Returns the ARN and, if there is a console, the URL of its page. */
const shown = (arn: string) => ({ arn, ...(process.env[env.statesConsole] === "on" ? { url: buildConsoleUrl(arn) } : {}) });

export const describeStateMachine: DescribeStateMachine = (machine) => shown(machineArn(machine));

/** Step Functions, which executes flows. Every call may be repeated: an object that already exists is a success. */
export const executions = {
  /** Starts an execution. `noMachine`: the state machine does not exist or is being deleted, so nothing was started. */
  async startExecution(execution: ExecutionName, input: unknown): Promise<"started" | "noMachine"> {
    try {
      await stepFunctions().send(
        new StartExecutionCommand({
          stateMachineArn: machineArn(execution.machine),
          name: nameOf(execution),
          input: JSON.stringify(input),
        }),
      );
    } catch (error) {
      if (error instanceof StateMachineDoesNotExist || error instanceof StateMachineDeleting) return "noMachine";
      if (!(error instanceof ExecutionAlreadyExists)) throw error;
    }
    return "started";
  },

  /** Computed from names, without a request. */
  describeExecution: (execution: ExecutionName) => shown(executionArn(execution)),

  /** Returns the state of an execution and, if it was stopped or has failed, the reason. */
  async getExecutionStatus(execution: ExecutionName): Promise<{ is: "running" | "ended" | "stopped" | "none"; reason: string }> {
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

  /** Stops an execution. An ended or missing execution is not an error. */
  async stopExecution(execution: ExecutionName, cause: string): Promise<void> {
    try {
      await stepFunctions().send(
        new StopExecutionCommand({ executionArn: executionArn(execution), error: STOPPED_BY_SERVICE, cause: cause.slice(0, 1000) }),
      );
    } catch (error) {
      if (!(error instanceof ExecutionDoesNotExist)) throw error;
    }
  },

  /** Resumes a waiting task. A task that no longer waits is not an error. */
  async sendTaskSuccess(taskToken: string, output: object): Promise<void> {
    try {
      await stepFunctions().send(new SendTaskSuccessCommand({ taskToken, output: JSON.stringify(output) }));
    } catch (error) {
      // An engine that forgets ended executions no longer knows their tokens.
      const isOver = [TaskDoesNotExist, TaskTimedOut, InvalidToken].some((each) => error instanceof each);
      if (!isOver) throw error;
    }
  },
} satisfies Executions;
