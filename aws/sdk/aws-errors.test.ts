import {
  ConditionalCheckFailedException,
  InternalServerError,
  ProvisionedThroughputExceededException,
  RequestLimitExceeded,
  TransactionCanceledException,
  TransactionInProgressException,
} from "@aws-sdk/client-dynamodb";
import { DependencyTimeoutException, DisabledException, KeyUnavailableException, KMSInvalidStateException } from "@aws-sdk/client-kms";
import { EC2ThrottledException, ResourceNotFoundException, ServiceException, TooManyRequestsException } from "@aws-sdk/client-lambda";
import { NoSuchKey, S3ServiceException } from "@aws-sdk/client-s3";
import { ExecutionAlreadyExists, ExecutionLimitExceeded, SFNServiceException, StateMachineDoesNotExist } from "@aws-sdk/client-sfn";
import { OverLimit, QueueDoesNotExist, RequestThrottled } from "@aws-sdk/client-sqs";
import { describe, expect, it } from "vitest";
import { classifyAwsError, toBusyError } from "./aws-errors.ts";

const of = (httpStatusCode: number) => ({ $metadata: { httpStatusCode }, message: "no" });
const canceled = (...codes: string[]) =>
  new TransactionCanceledException({ ...of(400), CancellationReasons: codes.map((Code) => ({ Code })) });
const network = (code: string) => Object.assign(new Error("socket"), { code });

describe("errors of AWS", () => {
  it.each<[string, Error, string | undefined]>([
    ["a throttled table", new ProvisionedThroughputExceededException(of(400)), "throttled"],
    ["an account's throughput", new RequestLimitExceeded(of(400)), "throttled"],
    ["a throttled transaction", canceled("None", "ProvisionedThroughputExceeded"), "throttled"],
    ["a transaction with a false condition", canceled("ThrottlingError", "ConditionalCheckFailed"), undefined],
    ["a transaction without reasons", canceled(), undefined],
    ["a repeated transaction, which its caller handles", new TransactionInProgressException(of(400)), undefined],
    ["a false condition", new ConditionalCheckFailedException(of(400)), undefined],
    ["a failure of DynamoDB", new InternalServerError(of(500)), "unavailable"],
    ["too many starts of executions", new SFNServiceException({ ...of(400), name: "ThrottlingException", $fault: "client" }), "throttled"],
    ["too many open executions", new ExecutionLimitExceeded(of(400)), "throttled"],
    ["a machine that does not exist", new StateMachineDoesNotExist(of(400)), undefined],
    ["an execution that exists", new ExecutionAlreadyExists(of(400)), undefined],
    ["a full concurrency quota", new TooManyRequestsException(of(429)), "throttled"],
    ["too few environments", new EC2ThrottledException(of(502)), "throttled"],
    ["a failure of Lambda", new ServiceException(of(500)), "unavailable"],
    ["a function that does not exist", new ResourceNotFoundException(of(404)), undefined],
    ["a busy bucket", new S3ServiceException({ ...of(503), name: "SlowDown", $fault: "server" }), "throttled"],
    ["a failure of S3", new S3ServiceException({ ...of(500), name: "InternalError", $fault: "server" }), "unavailable"],
    ["an object that does not exist", new NoSuchKey(of(404)), undefined],
    ["a throttled queue", new RequestThrottled(of(400)), "throttled"],
    ["too many messages in flight", new OverLimit(of(400)), "throttled"],
    ["a queue that does not exist", new QueueDoesNotExist(of(400)), undefined],
    ["a disabled key", new DisabledException(of(400)), "unavailable"],
    ["a key in another state", new KMSInvalidStateException(of(400)), "unavailable"],
    ["a key that is unavailable", new KeyUnavailableException(of(500)), "unavailable"],
    ["a timeout of KMS", new DependencyTimeoutException(of(500)), "unavailable"],
    ["a connection that was refused", network("ECONNREFUSED"), "unavailable"],
    ["a missing file", network("ENOENT"), undefined],
    ["a bug", new TypeError("undefined is not a function"), undefined],
  ])("%s is classified", (_what, error, expected) => expect(classifyAwsError(error)).toBe(expected));

  it("only an error that may pass becomes service.busy, with its cause", () => {
    const busy = new TooManyRequestsException(of(429));
    expect(toBusyError(busy, "Lambda")).toMatchObject({ code: "service.busy", details: { service: "Lambda" }, cause: busy });
    const bug = new TypeError("undefined is not a function");
    expect(toBusyError(bug, "Lambda")).toBe(bug);
  });
});
