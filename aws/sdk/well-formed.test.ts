import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { SFNClient, StopExecutionCommand } from "@aws-sdk/client-sfn";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sendWellFormed } from "./well-formed.ts";

const bodies: string[] = [];
const server = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  bodies.push(Buffer.concat(parts).toString());
  response.writeHead(200, { "content-type": "application/x-amz-json-1.0" }).end("{}");
});
beforeAll(() => new Promise<void>((done) => server.listen(0, "127.0.0.1", done)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

it("sends no half of a surrogate pair to a table, a queue or an execution, and any other text unchanged", async () => {
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = { endpoint, region: "us-east-1", credentials: { accessKeyId: "test", secretAccessKey: "test" } };
  const cut = "a😀".slice(0, 2);
  const json = JSON.stringify({ cut });
  const documents = DynamoDBDocumentClient.from(sendWellFormed(new DynamoDBClient(config)));
  await documents.send(new PutCommand({ TableName: "t", Item: { pk: cut, json, whole: "\\ud83d 😀" } }));
  await sendWellFormed(new SFNClient(config)).send(new StopExecutionCommand({ executionArn: "arn", cause: cut }));
  const queues = sendWellFormed(new SQSClient({ ...config, useQueueUrlAsEndpoint: false, md5: false }));
  await queues.send(new SendMessageCommand({ QueueUrl: `${endpoint}/q`, MessageBody: cut }));
  const [item, stop, message] = bodies.map((body) => JSON.parse(body) as Record<string, unknown>);
  expect(item).toMatchObject({ Item: { pk: { S: "a\ufffd" }, json: { S: json }, whole: { S: "\\ud83d 😀" } } });
  expect([stop?.["cause"], message?.["MessageBody"]]).toEqual(["a\ufffd", "a\ufffd"]);
});
