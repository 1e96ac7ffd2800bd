import type { StackConfig } from "../config.ts";

/** The part of Lambda's default quota of 1,000 executions that remains for the workers of one queue and their runners (docs/aws.md). */
const EXECUTIONS_OF_QUEUE = 120;
/** The smallest ceiling that SQS accepts. */
const MIN_POLLED = 2;

/** Numbers of concurrent executions. A reservation is also a ceiling; 0 means no reservation. */
interface Concurrency {
  reserved: Record<"api" | "approve" | "beat" | "step" | "run" | "routes" | "stream", number>;
  /** Workers of each of the two queues of jobs, and the number of messages of each. */
  workers: number;
  messagesOfWorker: number;
  /** Senders of each of the two queues of deliveries. */
  senders: number;
  /** Receivers of messages of triggers. */
  receivers: number;
}

/**
 * Divides the executions of the account. The local engine has no account limit, so a reservation would only be a ceiling there. Without
 * reservations, the account has a quota of 10: every queue gets as little as SQS allows, so that four workers leave executions for their
 * runners.
 */
export function divideConcurrency(config: StackConfig): Concurrency {
  const { local, reservedConcurrency: each, workerBatchSize } = config;
  const isSmall = !local && each === 0;
  const reserve = (executions: number) => (local ? 0 : executions);
  const messagesOfWorker = workerBatchSize ?? (local ? 10 : 1);
  const fitting = Math.floor(EXECUTIONS_OF_QUEUE / (1 + messagesOfWorker));
  return {
    reserved: {
      api: reserve(each),
      approve: reserve(Math.floor(each * 0.4)),
      beat: reserve(each),
      step: reserve(config.stepConcurrency ?? 2 * each),
      run: reserve(config.runConcurrency ?? 2 * each),
      routes: reserve(config.routesConcurrency ?? each),
      stream: reserve(config.streamConcurrency ?? 2 * each),
    },
    workers: config.workerConcurrency ?? (local ? 5 : isSmall ? MIN_POLLED : fitting),
    messagesOfWorker,
    senders: local ? 4 : isSmall ? MIN_POLLED : 8,
    receivers: local ? 5 : isSmall ? MIN_POLLED : 25,
  };
}
