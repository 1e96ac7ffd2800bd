import {
  CreateStateMachineCommand,
  DeleteStateMachineCommand,
  InvalidDefinition,
  ListExecutionsCommand,
  ListTagsForResourceCommand,
  paginateListStateMachines,
  ResourceNotFound,
  StateMachineAlreadyExists,
  StateMachineDeleting,
} from "@aws-sdk/client-sfn";
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

/** The state machines that flows are compiled to. Apart from executions, because most functions need only those and load less code. */
export const stateMachines = {
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
export type StateMachines = typeof stateMachines;
