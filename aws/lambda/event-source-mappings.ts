import {
  CreateEventSourceMappingCommand,
  DeleteEventSourceMappingCommand,
  ListEventSourceMappingsCommand,
  ResourceConflictException,
  ResourceInUseException,
  ResourceNotFoundException,
  UpdateEventSourceMappingCommand,
} from "@aws-sdk/client-lambda";
import { env, requireEnv } from "../../contract/env.ts";
import type { EventSourceMappings, Mapping } from "../../ports/sources.ts";
import { lambda } from "../sdk/lambda-client.ts";

/** The mappings from queues to function `receive`. */
export const eventSourceMappings = {
  /** Returns the mapping of a queue, or `undefined` if there is none. */
  async findMapping(queueArn: string): Promise<Mapping | undefined> {
    const { EventSourceMappings = [] } = await lambda().send(
      new ListEventSourceMappingsCommand({ EventSourceArn: queueArn, FunctionName: requireEnv(env.receiveFunctionArn) }),
    );
    const [found] = EventSourceMappings;
    if (found?.UUID === undefined) return undefined;
    const { UUID: id, State, ScalingConfig } = found;
    return { id, isDeleting: State === "Deleting", maximumConcurrency: ScalingConfig?.MaximumConcurrency };
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
  /** Changes the concurrency of a mapping, unless it is gone or an earlier change has not taken effect yet. */
  async updateMapping(id: string, maximumConcurrency: number): Promise<void> {
    const command = new UpdateEventSourceMappingCommand({ UUID: id, ScalingConfig: { MaximumConcurrency: maximumConcurrency } });
    try {
      await lambda().send(command);
    } catch (error) {
      if (!(error instanceof ResourceInUseException || error instanceof ResourceNotFoundException)) throw error;
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
} satisfies EventSourceMappings;
