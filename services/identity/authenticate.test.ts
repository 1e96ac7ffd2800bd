import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it, vi } from "vitest";
import { personKey } from "../../core/people/person.ts";
import { createTokenValue, hashToken } from "../../core/people/token.ts";
import { scriptHeadObject } from "../../core/scripts/version.ts";
import { stubAws } from "../../test/support/engine/stub-env.ts";

let server: http.Server | undefined;
afterEach(() => {
  server?.close();
  vi.unstubAllEnvs();
  vi.resetModules();
});

it("authentication reads the token, the rights and the script in one consistent call, so that every change takes effect at once", async () => {
  const requests: {
    target: string | undefined;
    tables: Record<string, { ConsistentRead?: boolean; Keys: Record<"pk" | "sk", { S: string }>[] }>;
  }[] = [];
  server = http.createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as { RequestItems: (typeof requests)[0]["tables"] };
    requests.push({ target: request.headers["x-amz-target"]?.toString(), tables: body.RequestItems });
    response.writeHead(200, { "content-type": "application/x-amz-json-1.0" }).end('{"Responses":{},"UnprocessedKeys":{}}');
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  stubAws(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { SVC_OBJECTS_TABLE: "objects" });
  const [{ authenticate }, { objectTable }, { jobTable }] = await Promise.all([
    import("./authenticate.ts"),
    import("../../aws/dynamodb/object-table.ts"),
    import("../../aws/dynamodb/job-table.ts"),
  ]);
  const authenticator = { objects: objectTable, jobs: jobTable, publicKey: async () => undefined as never, nowMs: Date.now };

  const { value } = createTokenValue("ann@example.com");
  const run = authenticate(authenticator, value, { workspace: "w", alsoRead: [scriptHeadObject.key("w", "f/a/b")] });
  await expect(run).rejects.toMatchObject({ code: "auth.invalid" });

  expect(requests.map(({ target }) => target)).toEqual(["DynamoDB_20120810.BatchGetItem"]);
  expect(requests[0]?.tables["objects"]).toMatchObject({ ConsistentRead: true });
  const person = personKey("ann@example.com");
  const read = requests[0]?.tables["objects"]?.Keys.map(({ pk, sk }) => `${pk.S} ${sk.S}`);
  const head = "R#w#f/a/b head";
  expect(read).toEqual([`TOKEN#${hashToken(value)} token`, `USERS ${person}`, `M#w ${person}`, "ACCESS#w access", head]);

  // Text of another length is no token, so nothing is read.
  for (const text of [value.slice(1), `${value}x`])
    await expect(authenticate(authenticator, text, { workspace: "w" })).rejects.toMatchObject({ code: "auth.invalid" });
  expect(requests).toHaveLength(1);
});
