import { isThrottlingError, isTransientError } from "@smithy/core/retry";
import { SvcError } from "../../contract/errors.ts";
import { addMiddleware, type ClientWithMiddleware } from "./add-middleware.ts";

/**
 * The reason for which AWS refused a call that may succeed a moment later. `throttled`: a quota was exhausted, and nothing was done.
 * `unavailable`: the service, or a key that it needs, failed temporarily; the call may have been executed.
 */
type Refusal = "throttled" | "unavailable";

/** Throttling that the SDK does not retry, and therefore does not know. */
const THROTTLED = new Set(["ExecutionLimitExceeded", "KmsThrottled", "KmsThrottlingException", "OverLimit"]);
/** Temporary failures of KMS, as KMS and the services that use it report them. Their status may be that of a client error. */
const UNAVAILABLE = new Set([
  "DependencyTimeoutException",
  // A key that is disabled, or pending deletion, may be enabled again.
  "DisabledException",
  "KMSDisabledException",
  "KMSInternalException",
  "KMSInvalidStateException",
  "KeyUnavailableException",
  "KmsDisabled",
  "KmsInvalidState",
  "KmsInvalidStateException",
]);
/** Reasons for which DynamoDB cancels a transaction because of its load. */
const THROTTLING_REASONS = new Set(["ThrottlingError", "ProvisionedThroughputExceeded"]);

interface AwsError extends Error {
  cause?: Error;
  $metadata?: { httpStatusCode?: number };
  CancellationReasons?: { Code?: string }[];
}

/** Classifies an error of an SDK client; `undefined` for one that another try would not change. */
export function classifyAwsError(error: unknown): Refusal | undefined {
  if (!(error instanceof Error)) return undefined;
  const awsError = error as AwsError;
  const { name, $metadata, CancellationReasons = [] } = awsError;
  const status = $metadata?.httpStatusCode ?? 0;
  // The SDK counts it as throttling. Its caller repeats it.
  if (name === "TransactionInProgressException") return undefined;
  if (THROTTLED.has(name) || isThrottlingError(awsError)) return "throttled";
  if (name === "TransactionCanceledException") {
    const causes = CancellationReasons.flatMap(({ Code = "None" }) => (Code === "None" ? [] : [Code]));
    return causes.length > 0 && causes.every((cause) => THROTTLING_REASONS.has(cause)) ? "throttled" : undefined;
  }
  // S3 answers 503 with the code SlowDown, and with others under the same load.
  if (status === 503) return "throttled";
  return UNAVAILABLE.has(name) || status >= 500 || isTransientError(awsError) ? "unavailable" : undefined;
}

/** Returns `service.busy` for an error after which the same call may succeed, and any other error unchanged. */
export function toBusyError(error: unknown, service: string): unknown {
  return classifyAwsError(error) ? new SvcError("service.busy", { service }, { cause: error }) : error;
}

interface Context {
  clientName?: string;
}

/**
 * Makes a client throw `service.busy` where AWS refused a call that may succeed a moment later, after the SDK's own tries. A cancelled transaction
 * keeps its error, because its caller repeats it.
 */
export function reportBusyServices<C extends ClientWithMiddleware>(client: C): C {
  const report =
    (next: (args: unknown) => Promise<unknown>, { clientName = "" }: Context) =>
    async (args: unknown) => {
      try {
        return await next(args);
      } catch (error) {
        throw (error as Error).name === "TransactionCanceledException" ? error : toBusyError(error, clientName.replace(/Client$/, ""));
      }
    };
  addMiddleware(client, { name: "svcReportBusyServices", step: "initialize", priority: "high" }, report);
  return client;
}
