import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { S3Client } from "@aws-sdk/client-s3";
import { SFNClient } from "@aws-sdk/client-sfn";
import { SQSClient } from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { reportBusyServices } from "./aws-errors.ts";
import { countRequests } from "./request-counts.ts";
import { sendWellFormed } from "./well-formed.ts";

/** Creates a client on first use, once in a process. Calls are marked as pure, so that a bundle omits unused clients. */
export function once<T>(make: () => T): () => T {
  let cachedValue: T | undefined;
  return () => {
    cachedValue ??= make();
    return cachedValue;
  };
}

export const documents = /* @__PURE__ */ once(() =>
  DynamoDBDocumentClient.from(sendWellFormed(reportBusyServices(countRequests(new DynamoDBClient({})))), {
    marshallOptions: { removeUndefinedValues: true },
  }),
);
/**
 * On AWS, the name of the bucket is part of the Host, which CloudFront sends with an upload. The local engine has one Host. With the SDK's default (`WHEN_SUPPORTED`), a presigned PUT URL contains the checksum
 * of an empty body, so S3 rejects every upload to it.
 */
export const s3 = /* @__PURE__ */ once(() =>
  reportBusyServices(
    countRequests(
      new S3Client({ forcePathStyle: process.env["AWS_ENDPOINT_URL"] !== undefined, requestChecksumCalculation: "WHEN_REQUIRED" }),
    ),
  ),
);
export const sqs = /* @__PURE__ */ once(() =>
  sendWellFormed(reportBusyServices(countRequests(new SQSClient({ useQueueUrlAsEndpoint: false })))),
);
export const stepFunctions = /* @__PURE__ */ once(() => sendWellFormed(reportBusyServices(countRequests(new SFNClient({})))));
