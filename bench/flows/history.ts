import { paginateGetExecutionHistory, SFNClient } from "@aws-sdk/client-sfn";
import { engineClientConfig } from "../floors.ts";

/** The number of events in the histories of a run's executions. */
export interface Histories {
  executions: number;
  /** States that were entered: AWS bills each. */
  transitions: number;
  /** Events of the execution that has the most. */
  largestEvents: number;
  /** The largest input or output of a state. */
  largestBytes: number;
}

/**
 * The events of a Map's iteration with one step on AWS: iteration started, state entered, scheduled, started, succeeded, exited, iteration
 * succeeded.
 */
const EVENTS_PER_ITERATION = 7;

/**
 * Reads the histories of a run's executions. The engine records no events inside a Map, so the events of AWS are added for each iteration
 * in its input.
 */
export async function historiesOf(endpoint: string, arns: readonly string[]): Promise<Histories> {
  const client = new SFNClient(engineClientConfig(endpoint));
  const found: Histories = { executions: arns.length, transitions: 0, largestEvents: 0, largestBytes: 0 };
  try {
    for (const executionArn of arns) {
      let count = 0;
      for await (const { events = [] } of paginateGetExecutionHistory({ client }, { executionArn, maxResults: 1000 })) {
        for (const { type = "", stateEnteredEventDetails: entered, stateExitedEventDetails: exited } of events) {
          count += 1;
          for (const text of [entered?.input, exited?.output])
            found.largestBytes = Math.max(found.largestBytes, Buffer.byteLength(text ?? ""));
          if (!entered) continue;
          found.transitions += 1;
          if (type !== "MapStateEntered") continue;
          const { indices = [] } = JSON.parse(entered.input ?? "{}") as { indices?: unknown[] };
          found.transitions += indices.length;
          count += indices.length * EVENTS_PER_ITERATION;
        }
      }
      found.largestEvents = Math.max(found.largestEvents, count);
    }
  } finally {
    client.destroy();
  }
  return found;
}
