import {
  CreateStateMachineCommand,
  DeleteStateMachineCommand,
  DescribeStateMachineCommand,
  InvalidDefinition,
  ListExecutionsCommand,
  ListTagsForResourceCommand,
  paginateListStateMachines,
  ResourceNotFound,
  StateMachineAlreadyExists,
  StateMachineDeleting,
  StateMachineDoesNotExist,
} from "@aws-sdk/client-sfn";
import { env, requireEnv } from "../../contract/env.ts";
import { isBusyError } from "../../contract/errors.ts";
import type { StateMachines } from "../../ports/executions.ts";
import { stepFunctions } from "../sdk/clients.ts";

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

/** Deletes a machine. Returns false if it belongs to another stack. */
async function removeIf(stateMachineArn: string, tags: Record<string, string>): Promise<boolean> {
  if (!carries(await tagsOf(stateMachineArn), tags)) return false;
  await stepFunctions().send(new DeleteStateMachineCommand({ stateMachineArn }));
  return true;
}

/**
 * Compares an existing machine with its expected definition and role, because a person may have changed or created it. A machine that was
 * just created may not be visible yet.
 */
async function compareStateMachine(name: string, definition: string, roleArn: string): Promise<"made" | "leaving" | "different"> {
  const stateMachineArn = `${requireEnv(env.statesArn)}:stateMachine:${name}`;
  const found = await describeIfVisible(stateMachineArn);
  if (!found) return "made";
  if (found.status === "DELETING") return "leaving";
  return found.definition === definition && found.roleArn === roleArn ? "made" : "different";
}

async function describeIfVisible(stateMachineArn: string) {
  try {
    return await stepFunctions().send(new DescribeStateMachineCommand({ stateMachineArn }));
  } catch (error) {
    if (error instanceof StateMachineDoesNotExist) return undefined;
    throw error;
  }
}

/** A later pass handles the remaining machines. */
async function unlessThrottled<T>(work: () => Promise<T>, otherwise: () => T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isBusyError(error)) throw error;
    return otherwise();
  }
}

const carries = (tags: Record<string, string | undefined>, expected: Record<string, string>) =>
  Object.entries(expected).every(([key, value]) => tags[key] === value);

/** The state machines of flows. They are separate from executions, because most functions need only those and load less code. */
export const stateMachines = {
  /**
   * Creates a state machine, unless an equal one with this name exists. `different`: a machine with this name has another definition or
   * role. `leaving`: a machine with this name is being deleted, which takes until its last execution has ended.
   */
  async createStateMachine(
    name: string,
    definition: string,
    roleArn: string,
    tags: Record<string, string>,
  ): Promise<"made" | "leaving" | "different" | { refused: string }> {
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
        return { refused: `Step Functions rejects the flow's state machine: ${error.message}` };
      }
      if (!(error instanceof StateMachineAlreadyExists)) throw error;
    }
    // CreateStateMachine also succeeds if a machine with this name and definition exists, and ignores that its role is another one.
    return compareStateMachine(name, definition, roleArn);
  },

  /**
   * Deletes the state machines with a name prefix that carry all of the tags. Missing machines are not an error. Returns true if none is
   * left, and false if `inTime` returns false or Step Functions throttles the calls.
   */
  async deleteStateMachines(prefix: string, tags: Record<string, string>, inTime: () => boolean): Promise<boolean> {
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
   * Deletes the machines that `inTurn` selects, if they are idle since `sinceMs` (epoch ms) and were created before. `each` runs the work for one
   * machine and returns whether the machine was deleted, or `undefined` to stop. Returns the number of deleted machines. Step Functions stores
   * executions for 90 days, so `sinceMs` must not be earlier.
   */
  async deleteIdleStateMachines(
    prefix: string,
    tags: Record<string, string>,
    sinceMs: number,
    inTurn: <T>(all: T[]) => T[],
    each: (arn: string, work: () => Promise<boolean>) => Promise<boolean | undefined>,
  ): Promise<number> {
    let gone = 0;
    return unlessThrottled(
      async () => {
        const old = (await machines(prefix)).filter(({ madeMs }) => madeMs < sinceMs);
        for (const { arn } of inTurn(old)) {
          const isDeleted = await each(arn, async () => (await isIdle(arn, sinceMs)) && (await removeIf(arn, tags)));
          if (isDeleted === undefined) break;
          if (isDeleted) gone += 1;
        }
        return gone;
      },
      () => gone,
    );
  },
} satisfies StateMachines;
