import { LambdaClient, ListFunctionsCommand } from "@aws-sdk/client-lambda";
import type { AwsCounts } from "../../aws/sdk/request-counts.ts";
import { callLogService } from "../../engine/engine/log-service.ts";
import { engineClientConfig } from "../floors.ts";

/** The log lines of functions in a period. */
export interface Logged {
  counts: AwsCounts;
  /** The number of lines that end an invocation. */
  lines: number;
  /** The size of all lines. */
  bytes: number;
}

export interface FunctionLogs {
  /** Reads the counts of the functions with matching names since a time (epoch ms). */
  since(fromMs: number, names: RegExp): Promise<Logged>;
  memoryMb(names: RegExp): number;
}

/** On AWS, runners and the builder may not write logs. */
const UNLOGGED = /Runners|Builds/;

/** Reads the logs of an instance's functions, the lines that an operator finds in CloudWatch. */
export async function functionLogs(endpoint: string): Promise<FunctionLogs> {
  const lambda = new LambdaClient(engineClientConfig(endpoint));
  const { Functions = [] } = await lambda.send(new ListFunctionsCommand({ MaxItems: 200 }));
  lambda.destroy();
  const matching = (names: RegExp) => Functions.filter(({ FunctionName = "" }) => names.test(FunctionName));
  return {
    async since(fromMs, names) {
      const groups = matching(names)
        .filter(({ FunctionName = "" }) => !UNLOGGED.test(FunctionName))
        .flatMap(({ LoggingConfig }) => LoggingConfig?.LogGroup ?? []);
      const messages = (await Promise.all(groups.map((group) => messagesOf(endpoint, group, fromMs)))).flat();
      return sum(messages.filter((message) => message.startsWith("{")));
    },
    memoryMb: (names) => matching(names)[0]?.MemorySize ?? 0,
  };
}

function sum(lines: string[]): Logged {
  const counts: AwsCounts = { requests: {}, readUnits: 0, writeUnits: 0, indexWriteUnits: 0 };
  let invocations = 0;
  for (const line of lines) {
    const { aws } = JSON.parse(line) as { aws?: AwsCounts };
    if (!aws) continue;
    invocations++;
    for (const [name, count] of Object.entries(aws.requests)) counts.requests[name] = (counts.requests[name] ?? 0) + count;
    counts.readUnits += aws.readUnits;
    counts.writeUnits += aws.writeUnits;
    counts.indexWriteUnits += aws.indexWriteUnits;
  }
  return { counts, lines: invocations, bytes: lines.reduce((bytes, line) => bytes + Buffer.byteLength(line), 0) };
}

async function messagesOf(endpoint: string, logGroupName: string, startTime: number): Promise<string[]> {
  const answer = await callLogService(endpoint, "FilterLogEvents", { logGroupName, startTime });
  // A function that was never called has no group yet.
  if (!answer.ok) return [];
  const { events = [] } = (await answer.json()) as { events?: { message: string }[] };
  return events.map(({ message }) => message);
}
