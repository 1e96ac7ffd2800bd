import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { SQSClient } from "@aws-sdk/client-sqs";
import { inject } from "vitest";
import { documents, sqs } from "../../../../aws/sdk/clients.ts";
import { engineCredentials } from "../../../../engine/engine/child-env.ts";
import { type QuickClient, sendQuickly } from "./quick-send.ts";

const { AWS_ACCESS_KEY_ID: key, AWS_REGION: region } = engineCredentials;
const { endpoint } = inject("useCases");
// The engine checks no signature, and selects the service by the credential's scope.
const authorizationOf = (service: string) =>
  `AWS4-HMAC-SHA256 Credential=${key}/20260101/${region}/${service}/aws4_request, SignedHeaders=host, Signature=0`;
const services = {
  dynamodb: { endpoint, authorization: authorizationOf("dynamodb"), target: "DynamoDB_20120810", clientName: "DynamoDBClient" },
  sqs: { endpoint, authorization: authorizationOf("sqs"), target: "AmazonSQS", clientName: "SQSClient" },
} as const;

/** Clients of the tests themselves, whose calls no fault of a process concerns. */
export const ownClients = { dynamodb: new DynamoDBClient({}), sqs: new SQSClient({}) };

for (const client of [documents(), ownClients.dynamodb]) sendQuickly(client as QuickClient, services.dynamodb);
for (const client of [sqs(), ownClients.sqs]) sendQuickly(client as QuickClient, services.sqs);
