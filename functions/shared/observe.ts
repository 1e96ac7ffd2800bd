import { Logger } from "@aws-lambda-powertools/logger";
import type { Context } from "aws-lambda";
import { takeCounts } from "../../aws/sdk/request-counts.ts";
import { attentionOf, METRIC_NAMESPACE, type Outcome } from "../../contract/deployment/metrics.ts";
import { DEFAULT_STACK } from "../../contract/deployment/stack-names.ts";
import { env } from "../../contract/env.ts";
import { registerTelemetry } from "../../core/telemetry/telemetry.ts";
import { toFunctionError } from "./reply/service-busy.ts";

/** The name of the stack, so that the metrics of two stacks in one account are separate. */
const serviceName = process.env[env.stack] || DEFAULT_STACK;

export const logger = new Logger({ serviceName });

/** Counts since the last log line, by job kind and outcome. Metrics of one kind share a line. */
const pending = new Map<string | undefined, Map<string, number>>();

registerTelemetry({
  failure: (message, error, context) => logger.error(message, { ...context, error: error as Error }),
  count: (outcome, count, kind) => {
    addCount(outcome, count, kind);
    const attention = attentionOf(outcome) * count;
    if (attention > 0) addCount("Attention", attention, undefined);
  },
  ran: (run) => logger.info("run", { ...run }),
  // The terminal of the local engine shows ended runs. On AWS there is none, so the module is not loaded.
  ended: (job) => {
    if (process.env[env.endedRuns]) void import("./reply/ended-run.ts").then(({ appendEndedRun }) => appendEndedRun(job));
  },
});

function addCount(outcome: Outcome, count: number, kind: string | undefined): void {
  const ofKind = pending.get(kind) ?? new Map<string, number>();
  ofKind.set(outcome, (ofKind.get(outcome) ?? 0) + count);
  pending.set(kind, ofKind);
}

/**
 * Writes the counts in CloudWatch's embedded metric format, one log line for each kind. Most API calls count nothing and do not load the
 * library.
 */
async function publishMetrics(): Promise<void> {
  if (pending.size === 0) return;
  const { Metrics, MetricUnit } = await import("@aws-lambda-powertools/metrics");
  for (const [kind, counts] of pending) {
    const metrics = new Metrics({ namespace: METRIC_NAMESPACE, serviceName });
    if (kind !== undefined) metrics.addDimension("kind", kind);
    for (const [outcome, count] of counts) metrics.addMetric(outcome, MetricUnit.Count, count);
    metrics.publishStoredMetrics();
  }
  pending.clear();
}

/** The fields of an invocation's log line. Those that several functions write have one type, so that one query can read all lines. */
export interface LoggedWork {
  /** The ids of the jobs. */
  jobs?: readonly string[];
  /** The number of failures. */
  failed?: number;
  /** The number of records of a stream or of a queue. */
  records?: number;
  ms?: number;
  [field: string]: unknown;
}

/** Writes the log line of an invocation, with the number of its AWS calls, and its metrics. The local engine needs a printed line. */
export async function logInvocation(
  message: string,
  { awsRequestId: requestId }: Pick<Context, "awsRequestId">,
  work: LoggedWork,
): Promise<void> {
  logger.info(message, { requestId, ...work, aws: takeCounts() });
  await publishMetrics();
}

/**
 * Wraps a handler that is neither an API's nor a queue's: it writes one log line for each invocation, with the fields that `describe`
 * returns, and the metrics. A failure is logged before Lambda receives it.
 */
export function observeHandler<Event, Result>(
  name: string,
  handle: (event: Event, context: Context) => Promise<Result>,
  describe: (result: Result, event: Event) => LoggedWork = () => ({}),
): (event: Event, context: Context) => Promise<Result> {
  return async (event, context) => {
    const startedMs = Date.now();
    let work: LoggedWork = { failed: 1 };
    try {
      const result = await handle(event, context);
      work = describe(result, event);
      return result;
    } catch (error) {
      logger.error("invocation failed", { requestId: context.awsRequestId, error: error as Error });
      throw toFunctionError(error);
    } finally {
      await logInvocation(name, context, { ...work, ms: Date.now() - startedMs });
    }
  };
}
