import {
  CreateStateMachineCommand,
  DeleteStateMachineCommand,
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  InvalidDefinition,
  ListExecutionsCommand,
  ListTagsForResourceCommand,
  paginateListStateMachines,
  ResourceNotFound,
  SendTaskSuccessCommand,
  StartExecutionCommand,
  StateMachineAlreadyExists,
  StateMachineDeleting,
  StateMachineDoesNotExist,
  StopExecutionCommand,
  TaskDoesNotExist,
  TaskTimedOut,
} from "@aws-sdk/client-sfn";
import { env, requireEnv } from "../../contract/env.ts";
import { consoleUrl } from "../../core/flows/console-url.ts";
import { stepFunctions } from "../sdk/clients.ts";

/** An execution by the name that its job and the number in the job's record give it. */
export interface ExecutionName {
  machine: string;
  job: string;
  execution: number;
}
const nameOf = ({ job, execution }: ExecutionName) => `${job}.${execution}`;
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
/** All state machines of the account, including those of other stacks. */
async function machines(prefix: string): Promise<{ arn: string; madeMs: number }[]> {
  const found: { arn: string; madeMs: number }[] = [];
  for await (const { stateMachines = [] } of paginateListStateMachines({ client: stepFunctions() }, { maxResults: 1000 })) {
    for (const { name = "", stateMachineArn: arn = "", creationDate } of stateMachines) {
      if (name.startsWith(prefix)) found.push({ arn, madeMs: creationDate?.getTime() ?? 0 });
    }
  }
  return found;
}

/** Ended executions are listed newest first. A running execution may have started before all of them. */
async function isIdle(stateMachineArn: string, sinceMs: number): Promise<boolean> {
  const first = async (filter: object) =>
    (await stepFunctions().send(new ListExecutionsCommand({ stateMachineArn, maxResults: 1, ...filter }))).executions?.[0];
  const latest = await first({});
  if (latest && (latest.status === "RUNNING" || (latest.stopDate?.getTime() ?? 0) >= sinceMs)) return false;
  return (await first({ statusFilter: "RUNNING" })) === undefined;
}

/** Returns false if it belongs to another stack. */
async function removeIf(stateMachineArn: string, tags: Record<string, string>): Promise<boolean> {
  if (!carries(await tagsOf(stateMachineArn), tags)) return false;
  await stepFunctions().send(new DeleteStateMachineCommand({ stateMachineArn }));
  return true;
}

/** A later pass handles the remaining machines. */
async function unlessThrottled<T>(work: () => Promise<T>, otherwise: () => T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if ((error as Error).name !== "ThrottlingException") throw error;
    return otherwise();
  }
}

const carries = (tags: Record<string, string | undefined>, wanted: Record<string, string>) =>
  Object.entries(wanted).every(([key, value]) => tags[key] === value);

/** Where something of Step Functions can be looked at: its ARN and, where there is a console, its page there. */
const shown = (arn: string) => ({ arn, ...(process.env[env.statesConsole] === "on" ? { url: consoleUrl(arn) } : {}) });

/** Step Functions, which executes flows. Every call may be repeated: an object that already exists is a success. */
export const executions = {
  /** `noMachine`: nothing was started, because the state machine is not there, or is just being deleted. */
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
      if (error instanceof StateMachineDoesNotExist || error instanceof StateMachineDeleting) return "noMachine";
      if (!(error instanceof ExecutionAlreadyExists)) throw error;
    }
    return "started";
  },

  /** Computed from names, without a request. */
  executionShown: (execution: ExecutionName) => shown(executionArn(execution)),
  machineShown: (machine: string) => shown(machineArn(machine)),

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
  async resume(taskToken: string, output: object): Promise<void> {
    try {
      await stepFunctions().send(new SendTaskSuccessCommand({ taskToken, output: JSON.stringify(output) }));
    } catch (error) {
      if (!(error instanceof TaskDoesNotExist || error instanceof TaskTimedOut)) throw error;
    }
  },

  /**
   * Makes a state machine, unless one of this name is there: the name says what is in it. `leaving`: one is just being deleted, and has the name until
   * its last execution has ended.
   */
  async make(
    name: string,
    definition: string,
    roleArn: string,
    tags: Record<string, string>,
  ): Promise<"made" | "leaving" | { refused: string }> {
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
      if (error instanceof StateMachineDeleting) return "leaving";
      if (error instanceof InvalidDefinition) {
        return { refused: `Step Functions does not take the flow's state machine: ${error.message}` };
      }
      if (!(error instanceof StateMachineAlreadyExists)) throw error;
    }
    return "made";
  },

  /**
   * Deletes the state machines whose names begin so and that carry all of the tags; those that are gone are no error. True when none is left:
   * it ends early when `inTime` does, and when Step Functions takes no more calls for now.
   */
  async removeMachines(prefix: string, tags: Record<string, string>, inTime: () => boolean): Promise<boolean> {
    return unlessThrottled(
      async () => {
        for (const { arn } of await machines(prefix)) {
          if (!inTime()) return false;
          await removeIf(arn, tags);
        }
        return true;
      },
      () => false,
    );
  },

  /**
   * The same with those that `inTurn` picks, where nothing runs and nothing has run since then. What was made since then is none of them. Answers how many
   * are gone. Step Functions remembers executions for 90 days after their end: `sinceMs` must not be longer ago.
   */
  async removeIdle(
    prefix: string,
    tags: Record<string, string>,
    sinceMs: number,
    inTurn: <T>(all: T[]) => T[],
    inTime: () => boolean,
  ): Promise<number> {
    let gone = 0;
    return unlessThrottled(
      async () => {
        const old = (await machines(prefix)).filter(({ madeMs }) => madeMs < sinceMs);
        for (const { arn } of inTurn(old)) {
          if (!inTime()) break;
          if ((await isIdle(arn, sinceMs)) && (await removeIf(arn, tags))) gone += 1;
        }
        return gone;
      },
      () => gone,
    );
  },
};
export type Executions = typeof executions;
