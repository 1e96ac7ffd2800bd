import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

/** The responses of DynamoDB, in order; the last one repeats. */
let answers: object[] = [];
let server: Server;
let asked = 0;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    for await (const _ of request);
    asked += 1;
    response.writeHead(200, { "content-type": "application/x-amz-json-1.0" });
    response.end(JSON.stringify(answers.length > 1 ? answers.shift() : answers[0]));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  vi.stubEnv("AWS_ENDPOINT_URL", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) vi.stubEnv(name, "test");
  vi.stubEnv("AWS_REGION", "us-east-1");
  vi.stubEnv("SVC_JOBS_TABLE", "jobs");
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  vi.unstubAllEnvs();
});

const itemOf = (ref: string) => ({ pk: { S: "j" }, sk: { S: ref }, ttl: { N: "1" } });
const left = (...refs: string[]) => ({ UnprocessedKeys: { jobs: { Keys: refs.map((ref) => ({ pk: { S: "j" }, sk: { S: ref } })) } } });

describe("items that a throttled table leaves out of a read", () => {
  it("are read again", async () => {
    const { jobTable } = await import("./job-table.ts");
    answers = [{ Responses: { jobs: [itemOf("a")] }, ...left("b") }, { Responses: { jobs: [itemOf("b")] } }];
    const { items } = await jobTable.getWith("j", ["a", "b"], { head: false });
    expect([...items.keys()]).toEqual(["a", "b"]);
  });

  it("do not count as missing", async () => {
    const { jobTable } = await import("./job-table.ts");
    asked = 0;
    answers = [{ Responses: { jobs: [itemOf("a")] }, ...left("b") }];
    await expect(jobTable.getWith("j", ["a", "b"], { head: false })).rejects.toMatchObject({ code: "service.busy" });
    expect(asked).toBe(6);
  });
});
