interface SdkError {
  name?: unknown;
  $fault?: unknown;
  $retryable?: { throttling?: boolean };
}

/** The names by which AWS services refuse calls that are too many. */
const THROTTLING =
  /^(?:ThrottlingException|Throttling|ThrottledException|TooManyRequestsException|RequestLimitExceeded|RequestThrottled|RequestThrottledException|ProvisionedThroughputExceededException|SlowDown|KmsThrottled|ThrottlingError)$/;

/** Returns whether an AWS service refused a call because there were too many, whatever the subject of the call. */
export function isThrottled(error: unknown): boolean {
  const { name, $retryable } = (error ?? {}) as SdkError;
  return $retryable?.throttling === true || (typeof name === "string" && THROTTLING.test(name));
}

/** Returns whether an AWS service failed itself or could not be reached. */
export function isServiceFault(error: unknown): boolean {
  const { name, $fault } = (error ?? {}) as SdkError;
  return $fault === "server" || name === "TimeoutError" || name === "NetworkingError";
}
