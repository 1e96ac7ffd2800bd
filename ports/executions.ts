/** An execution, named after its job and the number in the job's record. */
export interface ExecutionName {
  machine: string;
  job: string;
  execution: number;
}

/** The executions of flows in Step Functions. Every call is idempotent: a state that already exists is a success. */
export interface Executions {
  /** Starts an execution. `noMachine`: the state machine does not exist or is being deleted, so nothing was started. */
  startExecution(execution: ExecutionName, input: unknown): Promise<"started" | "noMachine">;
  /** Computed from names, without a request. */
  describeExecution(execution: ExecutionName): { arn: string; url?: string };
  /** Returns the state of an execution and, if it was stopped or has failed, the reason. */
  getExecutionStatus(execution: ExecutionName): Promise<{ is: "running" | "ended" | "stopped" | "none"; reason: string }>;
  /** Stops an execution. An ended or missing execution is not an error. */
  stopExecution(execution: ExecutionName, cause: string): Promise<void>;
  /** Resumes a waiting task. A task that no longer waits is not an error. */
  sendTaskSuccess(taskToken: string, output: object): Promise<void>;
}

/** Returns the ARN of a state machine and its address in the console. Both are computed from names, without a request. */
export type DescribeStateMachine = (machine: string) => { arn: string; url?: string };

/** The state machines of flows. They are separate from executions, because most functions need only those and load less code. */
export interface StateMachines {
  /**
   * Creates a state machine, unless an equal one with this name exists. `different`: a machine with this name has another definition or role.
   * `leaving`: a machine with this name is being deleted, which lasts until its last execution has ended.
   */
  createStateMachine(
    name: string,
    definition: string,
    roleArn: string,
    tags: Record<string, string>,
  ): Promise<"made" | "leaving" | "different" | { refused: string }>;
  /**
   * Deletes the state machines with a name prefix that carry all of the tags. Missing machines are not an error. Returns true if none is
   * left, and false if `inTime` returns false or Step Functions throttles the calls.
   */
  deleteStateMachines(prefix: string, tags: Record<string, string>, inTime: () => boolean): Promise<boolean>;
  /**
   * Deletes the machines that `inTurn` selects, if they are idle since `sinceMs` (epoch ms) and were created before. `each` runs the work for one
   * machine and returns whether the machine was deleted, or `undefined` to stop. Returns the number of deleted machines. Step Functions stores
   * executions for 90 days, so `sinceMs` must not be earlier.
   */
  deleteIdleStateMachines(
    prefix: string,
    tags: Record<string, string>,
    sinceMs: number,
    inTurn: <T>(all: T[]) => T[],
    each: (arn: string, work: () => Promise<boolean>) => Promise<boolean | undefined>,
  ): Promise<number>;
}
