import {
  CreateEventSourceMappingCommand,
  DeleteEventSourceMappingCommand,
  ListEventSourceMappingsCommand,
  ResourceConflictException,
  ResourceNotFoundException,
} from "@aws-sdk/client-lambda";
import { env, requireEnv } from "../../contract/env.ts";
import { lambda } from "../sdk/lambda-client.ts";

/** The mappings from queues to function `receive`. */
export const eventSourceMappings = {
  /** Returns the id and the state of the mapping of a queue, or `undefined` if there is none. */
  async findMapping(queueArn: string): Promise<{ id: string; isDeleting: boolean } | undefined> {
    const { EventSourceMappings = [] } = await lambda().send(
      new ListEventSourceMappingsCommand({ EventSourceArn: queueArn, FunctionName: requireEnv(env.receiveFunctionArn) }),
    );
    const [found] = EventSourceMappings;
    return found?.UUID === undefined ? undefined : { id: found.UUID, isDeleting: found.State === "Deleting" };
  },
  /** Creates the mapping of a queue, unless another call has just created it. */
  async createMapping(queueArn: string, maximumConcurrency: number): Promise<void> {
    const command = new CreateEventSourceMappingCommand({
      EventSourceArn: queueArn,
      FunctionName: requireEnv(env.receiveFunctionArn),
      BatchSize: 10,
      FunctionResponseTypes: ["ReportBatchItemFailures"],
      ScalingConfig: { MaximumConcurrency: maximumConcurrency },
    });
    try {
      await lambda().send(command);
    } catch (error) {
      if (!(error instanceof ResourceConflictException)) throw error;
    }
  },
  /** Deletes a mapping, unless it is gone. */
  async deleteMapping(id: string): Promise<void> {
    try {
      await lambda().send(new DeleteEventSourceMappingCommand({ UUID: id }));
    } catch (error) {
      if (!(error instanceof ResourceNotFoundException)) throw error;
    }
  },
};
export type EventSourceMappings = typeof eventSourceMappings;
