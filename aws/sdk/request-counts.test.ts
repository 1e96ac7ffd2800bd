import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { DynamoDBDocumentClient, GetCommand, PutCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { countRequests, takeCounts } from "./request-counts.ts";

/** Returns the next prepared response for each request, and records the requests. */
const prepared: { status: number; body: unknown }[] = [];
const asked: { target: string | undefined; body: string }[] = [];
let server: Server;
let documents: DynamoDBDocumentClient;
let s3: S3Client;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    asked.push({ target: request.headers["x-amz-target"] as string | undefined, body: Buffer.concat(parts).toString() });
    const { status, body } = prepared.shift() ?? { status: 200, body: {} };
    response.writeHead(status, { "content-type": "application/x-amz-json-1.0" });
    response.end(body === "" ? "" : JSON.stringify(body));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const config = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  };
  documents = DynamoDBDocumentClient.from(countRequests(new DynamoDBClient(config)));
  s3 = countRequests(new S3Client({ ...config, forcePathStyle: true, requestChecksumCalculation: "WHEN_REQUIRED" }));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  takeCounts();
  asked.length = 0;
});

describe("request counts", () => {
  it("units of tables and of indexes are counted separately", async () => {
    prepared.push({
      status: 200,
      body: {
        ConsumedCapacity: { CapacityUnits: 4, GlobalSecondaryIndexes: { list: { CapacityUnits: 1 }, due: { CapacityUnits: 2 } } },
      },
    });
    await documents.send(new PutCommand({ TableName: "t", Item: { pk: "a" } }));
    expect(takeCounts()).toEqual({ requests: { "dynamodb.PutItem": 1 }, readUnits: 0, writeUnits: 1, indexWriteUnits: 3 });
    expect(JSON.parse(asked[0]?.body ?? "")).toMatchObject({ ReturnConsumedCapacity: "INDEXES", Item: { pk: { S: "a" } } });
  });

  it("parallel requests are summed, and reading the counts resets them", async () => {
    const read = { status: 200, body: { ConsumedCapacity: { CapacityUnits: 0.5 } } };
    prepared.push(read, read);
    await Promise.all([1, 2].map(() => documents.send(new GetCommand({ TableName: "t", Key: { pk: "a" } }))));
    expect(takeCounts()).toMatchObject({ requests: { "dynamodb.GetItem": 2 }, readUnits: 1 });
    expect(takeCounts()).toMatchObject({ requests: {}, readUnits: 0 });
  });

  it("the units of a transaction count as writes of each of its tables", async () => {
    prepared.push({ status: 200, body: { ConsumedCapacity: [{ CapacityUnits: 2 }, { CapacityUnits: 4 }] } });
    await documents.send(new TransactWriteCommand({ TransactItems: [{ Put: { TableName: "t", Item: { pk: "a" } } }] }));
    expect(takeCounts()).toMatchObject({ requests: { "dynamodb.TransactWriteItems": 1 }, writeUnits: 6, readUnits: 0 });
  });

  it("attempts and rejected writes are counted without changing their errors", async () => {
    prepared.push(
      { status: 500, body: { __type: "InternalServerError", message: "again" } },
      { status: 400, body: { __type: "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException", message: "no" } },
    );
    const put = documents.send(new PutCommand({ TableName: "t", Item: { pk: "a" } }));
    await expect(put).rejects.toMatchObject({ name: "ConditionalCheckFailedException" });
    expect(takeCounts().requests).toEqual({ "dynamodb.PutItem": 2 });
  });

  it("S3 requests are counted, and presigned URLs are not", async () => {
    const url = await getSignedUrl(s3, new GetObjectCommand({ Bucket: "b", Key: "k" }), { expiresIn: 60 });
    expect(url).toContain("X-Amz-Signature");
    expect(takeCounts().requests).toEqual({});
    prepared.push({ status: 200, body: "" });
    await s3.send(new PutObjectCommand({ Bucket: "b", Key: "k", Body: "x" }));
    expect(takeCounts().requests).toEqual({ "s3.PutObject": 1 });
  });
});
