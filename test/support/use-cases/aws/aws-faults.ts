import { AsyncLocalStorage } from "node:async_hooks";
import {
  type DynamoDBServiceException,
  InternalServerError,
  ProvisionedThroughputExceededException,
  ThrottlingException,
} from "@aws-sdk/client-dynamodb";
import { DisabledException, KMSInvalidStateException } from "@aws-sdk/client-kms";
import { TooManyRequestsException } from "@aws-sdk/client-lambda";
import { S3ServiceException } from "@aws-sdk/client-s3";
import { ExecutionLimitExceeded, SFNServiceException } from "@aws-sdk/client-sfn";
import { toBusyError } from "../../../../aws/sdk/aws-errors.ts";
import { documents, s3, stepFunctions } from "../../../../aws/sdk/clients.ts";
import { lambda } from "../../../../aws/sdk/lambda-client.ts";

type Service = "DynamoDB" | "S3" | "KMS" | "Lambda" | "SFN" | "SQS";

const of = (httpStatusCode: number, message: string) => ({ $metadata: { httpStatusCode, attempts: 3, totalRetryDelay: 200 }, message });

/** Errors as the SDK throws them after its own tries, with the names and status codes of AWS. */
export const awsErrors = {
  tableThrottled: () =>
    new ProvisionedThroughputExceededException(of(400, "The level of configured provisioned throughput for the table was exceeded.")),
  tableRateExceeded: () => new ThrottlingException(of(400, "Rate of requests exceeds the allowed throughput.")),
  tableFailed: () => new InternalServerError(of(500, "Internal server error")),
  bucketSlow: () => new S3ServiceException({ ...of(503, "Please reduce your request rate."), name: "SlowDown", $fault: "server" }),
  bucketFailed: () => new S3ServiceException({ ...of(500, "We encountered an internal error."), name: "InternalError", $fault: "server" }),
  keyInvalid: () => new KMSInvalidStateException(of(400, "The key is pending deletion.")),
  keyDisabled: () => new DisabledException(of(400, "The key is disabled.")),
  quotaFull: () => new TooManyRequestsException({ ...of(429, "Rate Exceeded."), Reason: "ConcurrentInvocationLimitExceeded" }),
  startsThrottled: () => new SFNServiceException({ ...of(400, "Rate exceeded"), name: "ThrottlingException", $fault: "client" }),
  executionsFull: () => new ExecutionLimitExceeded(of(400, "The maximum number of running executions has been reached.")),
} as const satisfies Record<string, () => DynamoDBServiceException | Error>;

export interface AwsCall {
  service: Service;
  operation: string;
  input: Record<string, unknown>;
}

/** A simulated AWS account: whether a call is refused, and what the services answer that the engine does not provide. */
interface Account {
  /** Returns the error with which a call fails. `applied`: the call is executed, but its response is lost. */
  refuse(call: AwsCall): { error: Error; applied?: boolean } | undefined;
  /** Answers a call of Lambda or Step Functions. Throws the error of the SDK. */
  answer(call: AwsCall): Promise<object>;
  /** Is called when a call of the engine begins and ends. */
  onCall(change: 1 | -1): void;
}

const accounts = new AsyncLocalStorage<Account>();
/** Runs work whose calls of AWS go to a simulated account. */
export const inAccount = <T>(account: Account, work: () => T): T => accounts.run(account, work);
/** Runs work whose calls go to the engine again. */
export const outsideAccount = <T>(work: () => T): T => accounts.exit(work);

interface Context {
  clientName?: string;
  commandName?: string;
}
interface Injectable {
  middlewareStack: { add(middleware: never, options: never): void };
}

/** Executes a call in the current account. `send` sends it to the engine. */
async function callInAccount<T>(account: Account, call: AwsCall, send: () => Promise<T>): Promise<T> {
  const refused = account.refuse(call);
  if (refused && !refused.applied) throw refused.error;
  const answered = await send();
  if (refused) throw refused.error;
  return answered;
}

for (const [client, answered] of [
  [documents(), false],
  [s3(), false],
  [stepFunctions(), true],
  [lambda(), true],
] as [Injectable, boolean][]) {
  const inject =
    (next: (args: unknown) => Promise<unknown>, { clientName = "", commandName = "" }: Context) =>
    (args: { input: Record<string, unknown> }) => {
      const account = accounts.getStore();
      if (!account) return next(args);
      const call = {
        service: clientName.replace(/Client$/, "") as Service,
        operation: commandName.replace(/Command$/, ""),
        input: args.input,
      };
      const send = async () => {
        account.onCall(1);
        return next(args).finally(() => account.onCall(-1));
      };
      return callInAccount(account, call, answered ? async () => ({ output: await account.answer(call), response: {} }) : send);
    };
  // After the middleware that reports busy services, and before the SDK's tries, which real time would pass in.
  client.middlewareStack.add(inject as never, { name: "svcSimulateAccount", step: "initialize", priority: "low" } as never);
}

/** A call of a service that a test replaces as a whole, such as a queue with its own clock. */
export function callReplaced<T>(call: AwsCall, answer: () => Promise<T>): Promise<T> {
  const account = accounts.getStore();
  if (!account) return answer();
  // As the middleware of the clients does.
  return callInAccount(account, call, answer).catch((error: unknown) => {
    throw toBusyError(error, call.service);
  });
}
