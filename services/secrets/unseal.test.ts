import { randomBytes } from "node:crypto";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it, vi } from "vitest";
import { createExportKey, sealSecret } from "../../core/secrets/seal.ts";
import { stubAws } from "../../test/support/engine/stub-env.ts";

let server: http.Server | undefined;
afterEach(() => {
  server?.close();
  vi.unstubAllEnvs();
  vi.resetModules();
});

/** Responds like AWS over HTTP: the first read fails, later reads find a workspace's ring, whose key KMS unwraps. */
async function aws(workspace: string, key: Buffer): Promise<string[]> {
  const calls: string[] = [];
  const exportKey = sealSecret({ version: 1, key }, { workspace, path: "export" }, createExportKey());
  const ring = { M: { current: { N: "1" }, wrapped: { M: { 1: { S: "AAAA" } } }, exportKey: { S: exportKey } } };
  server = http.createServer((request, response) => {
    const target = String(request.headers["x-amz-target"]);
    calls.push(target);
    const json = target.endsWith("Decrypt")
      ? { Plaintext: key.toString("base64"), KeyId: "k" }
      : { Item: { pk: { S: `RING#${workspace}` }, sk: { S: "ring" }, v: ring } };
    const failed = calls.length === 1;
    response.writeHead(failed ? 400 : 200, { "content-type": "application/x-amz-json-1.0" });
    response.end(JSON.stringify(failed ? { __type: "AccessDeniedException", message: "not yet" } : json));
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  stubAws(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { SVC_OBJECTS_TABLE: "objects", SVC_SECRETS_KEY: "key" });
  return calls;
}

it("unsealing reads the keys once and calls KMS once for twenty concurrent secrets, and does not cache a failed read", async () => {
  const key = randomBytes(32);
  const calls = await aws("w", key);
  const [{ unsealValue: unseal }, { objectTable }, { dataKeys }] = await Promise.all([
    import("./unseal.ts"),
    import("../../aws/dynamodb/object-table.ts"),
    import("../../aws/kms/data-keys.ts"),
  ]);
  const deps = { objects: objectTable, dataKeys, nowMs: Date.now };
  const open = (text: string) => unseal(deps, "w", "f/t/x", sealSecret({ version: 1, key }, { workspace: "w", path: "f/t/x" }, text));
  const texts = Array.from({ length: 20 }, (_, index) => `secret ${index}`);
  const failed = await Promise.allSettled(texts.map(open));
  expect(failed.every(({ status }) => status === "rejected")).toBe(true);
  expect(await Promise.all(texts.map(open))).toEqual(texts);
  expect(await open("later")).toBe("later");
  expect(calls).toEqual(["DynamoDB_20120810.GetItem", "DynamoDB_20120810.GetItem", "TrentService.Decrypt"]);
});
