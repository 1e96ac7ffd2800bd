import { SvcError } from "../../contract/errors.ts";

/**
 * Why AWS refused a call that may succeed a moment later. `throttled`: a quota was used up, and nothing was done. `unavailable`: the service, or a
 * key that it needs, failed for the moment; the call may have been executed.
 */
type Refusal = "throttled" | "unavailable";

/** Names of errors, across services. The SDK's own list lacks those of Step Functions, SQS and S3. */
const THROTTLED = new Set([
  "EC2ThrottledException",
  "ExecutionLimitExceeded",
  "KmsThrottled",
  "KmsThrottlingException",
  "LimitExceededException",
  "OverLimit",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "RequestThrottled",
  "RequestThrottledException",
  "SlowDown",
  "ThrottledException",
  "Throttling",
  "ThrottlingException",
  "TooManyRequestsException",
]);
const UNAVAILABLE = new Set([
  "DependencyTimeoutException",
  // A key that is disabled, or pending deletion, may be enabled again.
  "DisabledException",
  "InternalServerError",
  "KMSDisabledException",
  "KMSInternalException",
  "KMSInvalidStateException",
  "KeyUnavailableException",
  "KmsDisabled",
  "KmsInvalidState",
  "KmsInvalidStateException",
  "RequestTimeout",
  "RequestTimeoutException",
  "ServiceUnavailable",
  "TimeoutError",
]);
const NETWORK = new Set(["EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EPIPE", "ETIMEDOUT"]);
/** Reasons for which DynamoDB cancels a transaction because of its load. */
const THROTTLING_REASONS = new Set(["ThrottlingError", "ProvisionedThroughputExceeded"]);

interface AwsError {
  name?: string;
  code?: string;
  $metadata?: { httpStatusCode?: number };
  $retryable?: { throttling?: boolean };
  CancellationReasons?: { Code?: string }[];
}

/** Classifies an error of an SDK client; `undefined` for one that another try would not change. */
export function classifyAwsError(error: unknown): Refusal | undefined {
  if (!(error instanceof Error)) return undefined;
  const { name = "", code = "", $metadata, $retryable, CancellationReasons = [] } = error as AwsError;
  const status = $metadata?.httpStatusCode ?? 0;
  if (THROTTLED.has(name) || status === 429 || $retryable?.throttling) return "throttled";
  if (name === "TransactionCanceledException") {
    const causes = CancellationReasons.flatMap(({ Code = "None" }) => (Code === "None" ? [] : [Code]));
    return causes.length > 0 && causes.every((cause) => THROTTLING_REASONS.has(cause)) ? "throttled" : undefined;
  }
  // S3 answers 503 with the code SlowDown, and with others under the same load.
  if (status === 503) return "throttled";
  return UNAVAILABLE.has(name) || NETWORK.has(code) || status >= 500 ? "unavailable" : undefined;
}

/** Returns `service.busy` for an error after which the same call may succeed, and any other error unchanged. */
export function toBusyError(error: unknown, service: string): unknown {
  return classifyAwsError(error) ? new SvcError("service.busy", { service }, { cause: error }) : error;
}

/** The part of an SDK client that is needed here. The clients' own types differ by service. */
interface Watchable {
  middlewareStack: { add(middleware: never, options: never): void };
}
interface Context {
  clientName?: string;
}

/**
 * Makes a client throw `service.busy` where AWS refused a call that may succeed a moment later, after the SDK's own tries. A cancelled transaction
 * keeps its error, because its caller repeats it.
 */
export function reportBusyServices<C extends Watchable>(client: C): C {
  const report =
    (next: (args: unknown) => Promise<unknown>, { clientName = "" }: Context) =>
    async (args: unknown) => {
      try {
        return await next(args);
      } catch (error) {
        throw (error as Error).name === "TransactionCanceledException" ? error : toBusyError(error, clientName.replace(/Client$/, ""));
      }
    };
  client.middlewareStack.add(report as never, { name: "svcReportBusyServices", step: "initialize", priority: "high" } as never);
  return client;
}
