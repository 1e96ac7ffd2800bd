import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { S3Client } from "@aws-sdk/client-s3";
import { SFNClient } from "@aws-sdk/client-sfn";
import { SQSClient } from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { counting } from "./counting.ts";

/** One client of each kind per process, made on first use. Marked as pure below: a bundle leaves out the clients that it never calls. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

export const documents = /* @__PURE__ */ once(() =>
  DynamoDBDocumentClient.from(counting(new DynamoDBClient({})), { marshallOptions: { removeUndefinedValues: true } }),
);
/** Path style works on AWS and on the local engine alike. */
export const s3 = /* @__PURE__ */ once(() => counting(new S3Client({ forcePathStyle: true })));
export const sqs = /* @__PURE__ */ once(() => counting(new SQSClient({ useQueueUrlAsEndpoint: false })));
export const stepFunctions = /* @__PURE__ */ once(() => counting(new SFNClient({})));

/** A runner's call lasts as long as its script: one attempt, because a second one would be a second run. */
export const lambda = /* @__PURE__ */ once(() =>
  counting(
    new LambdaClient({
      maxAttempts: 1,
      requestHandler: {
        requestTimeout: 890_000,
        connectionTimeout: 5_000,
        httpsAgent: { maxSockets: 200 },
        httpAgent: { maxSockets: 200 },
      },
    }),
  ),
);
