import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { CreateBucketCommand, HeadObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { beforeAll, describe, expect, it } from "vitest";
import { engineCredentials } from "../../../engine/engine/child-env.ts";
import { shared } from "../../support/api/api.ts";
import { member, type Someone } from "../../support/api/people.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { awsClients } from "../../support/engine/aws.ts";

/** The engine's own S3 serves as an external service, whose keys are in a resource. */
const { s3 } = awsClients();
const SECRET = engineCredentials.AWS_SECRET_ACCESS_KEY;
let ws: Workspace;
let dev: Someone;

function s3Value(bucket: string, fields: object = {}) {
  const { hostname, port } = new URL(shared().endpoint);
  const place = { bucket, region: "us-east-1", endPoint: hostname, port: Number(port), useSSL: false, pathStyle: true };
  return { ...place, accessKey: engineCredentials.AWS_ACCESS_KEY_ID, secretKey: SECRET, ...fields };
}
async function resource(path: string, value: unknown): Promise<string> {
  expectStatus(await ws.post("resources/create", { path, value, resource_type: "s3" }, { update_if_exists: true }), 201);
  return path;
}
const configure = (large_file_storage: object | null) => ws.post("workspaces/edit_large_file_storage_config", { large_file_storage });
const s3Storage = (s3_resource_path: string, more: object = {}) => ({ type: "S3Storage", s3_resource_path, ...more });
const upload = (file_key: string, body: string | Uint8Array, query = {}, by = ws) =>
  by.call("POST", "job_helpers/upload_s3_file", { body, query: { file_key, ...query } });
const read = (file_key: string, query = {}, by = ws) => by.get("job_helpers/download_s3_file", { file_key, ...query });
const code = ({ headers }: { headers: Headers }) => headers.get("x-svc-error");
const isIn = (Bucket: string, Key: string) =>
  s3.send(new HeadObjectCommand({ Bucket, Key })).then(
    () => true,
    () => false,
  );
const buckets = { main: "", more: "" };

beforeAll(async () => {
  ws = await newWorkspace();
  dev = await member(ws, "dev");
  for (const name of ["main", "more"] as const) {
    buckets[name] = `${ws.id}-${name}`;
    await s3.send(new CreateBucketCommand({ Bucket: buckets[name] }));
  }
  expectStatus(await ws.post("variables/create", { path: "f/t/s3key", value: SECRET, is_secret: true, description: "" }), 201);
  await resource("f/t/main", s3Value(buckets.main, { secretKey: "$var:f/t/s3key" }));
  await resource("f/t/more", s3Value(buckets.more));
  await ws.saveScript({ path: "f/t/form", language: "bun", content: "export function main(doc: unknown) { return doc; }" });
});

async function sendForm(by = ws): Promise<Response> {
  const form = new FormData();
  form.append("doc", new Blob(["form bytes"]), "d.txt");
  return fetch(`${by.api.url}/api/w/${by.id}/jobs/run_wait_result/p/f/t/form`, {
    method: "POST",
    headers: { authorization: `Bearer ${by.api.token}` },
    body: form,
  });
}

describe("the storage of a workspace (api.md 2.7, 3.6)", () => {
  it("the storage is the bucket of the deployment unless an admin configures another one", async () => {
    expectStatus(await upload("a.txt", "own"), 200);
    expect((await ws.get("workspaces/get_settings")).json).toEqual({ workspace_id: ws.id, name: ws.id });
    expectStatus(await configure(s3Storage("f/t/main")), 200);
    expect((await read("a.txt")).status).toBe(404);
    expectStatus(await configure(null), 200);
    expect((await read("a.txt")).text).toBe("own");
  });

  it("the storage can be any bucket, with its keys in a resource whose secrets are not revealed", async () => {
    expectStatus(await configure(s3Storage("f/t/main")), 200);
    expect((await ws.get("workspaces/get_settings")).json).toMatchObject({ large_file_storage: s3Storage("f/t/main") });
    expectStatus(await upload("deep/é 1.txt", "theirs"), 200);
    expect(await isIn(buckets.main, "deep/é 1.txt")).toBe(true);
    expect((await read("deep/é 1.txt")).text).toBe("theirs");
    expectStatus(await ws.call("DELETE", "job_helpers/delete_s3_file", { query: { file_key: "deep/é 1.txt" } }), 200);
    expect(await isIn(buckets.main, "deep/é 1.txt")).toBe(false);
    expect((await ws.get("workspaces/get_settings")).text).not.toContain(SECRET);
  });

  it("the storage accepts and returns large files by presigned URLs", async () => {
    const presigned = await ws.post("job_helpers/presign_upload", { file_key: "large.bin" });
    const { url } = expectStatus(presigned, 200).json as { url: string };
    expect(url).toContain(buckets.main);
    const large = Buffer.alloc(6 * 1024 * 1024, "svc");
    expect((await fetch(url, { method: "PUT", body: large })).status).toBe(200);
    const found = await fetch(`${ws.api.url}/api/w/${ws.id}/job_helpers/download_s3_file?file_key=large.bin`, {
      headers: { authorization: `Bearer ${ws.api.token}` },
    });
    expect(found.redirected).toBe(true);
    expect(Buffer.from(await found.arrayBuffer()).equals(large)).toBe(true);
  });

  it("a workspace can have secondary storages, named in the query or in the short form of the file", async () => {
    const secondary_storage = { more: s3Storage("f/t/more") };
    expectStatus(await configure(s3Storage("f/t/main", { secondary_storage })), 200);
    expectStatus(await upload("b.txt", "second", { storage: "more" }), 200);
    expect([await isIn(buckets.more, "b.txt"), await isIn(buckets.main, "b.txt")]).toEqual([true, false]);
    expect((await read("s3://more/b.txt")).text).toBe("second");
    expect((await read("b.txt")).status).toBe(404);
    expect(code(await read("b.txt", { storage: "absent" }))).toBe("file.storage");
    expectStatus(await configure({ type: "stack", secondary_storage }), 200);
    expect((await read("b.txt", { storage: "more" })).text).toBe("second");
    expect((await read("a.txt")).text).toBe("own");
  });

  it("only users who may read another resource can access its bucket", async () => {
    await s3.send(new PutObjectCommand({ Bucket: buckets.more, Key: "u/admin/x.txt", Body: "whole bucket" }));
    expect((await read("u/admin/x.txt", { s3_resource_path: "$res:f/t/more" })).text).toBe("whole bucket");
    const refused = await read("b.txt", { s3_resource_path: "f/t/more" }, dev.in(ws));
    expect([refused.status, code(refused)]).toEqual([404, "resource.notFound"]);
    expect((await read("b.txt", { s3_resource_path: "f/t/absent" })).text).toBe(refused.text.replace("more", "absent"));
  });

  it("a disabled storage rejects files, and the error names the setting", async () => {
    expectStatus(await configure({ type: "none" }), 200);
    for (const answer of [await upload("c.txt", "x"), await read("a.txt"), await ws.get("job_helpers/list_stored_files")]) {
      expect([answer.status, code(answer)]).toEqual([400, "file.storageOff"]);
    }
    const form = await sendForm();
    expect([form.status, await form.text()]).toEqual([400, expect.stringContaining("edit_large_file_storage_config")]);
    expectStatus(await ws.runWait("f/t/form", { doc: 1 }), 200);
    expectStatus(await configure(null), 200);
  });

  it("only admins configure the storage, with existing resources of a supported kind", async () => {
    expect((await dev.in(ws).post("workspaces/edit_large_file_storage_config", { large_file_storage: null })).status).toBe(403);
    expect(code(await configure(s3Storage("f/t/absent")))).toBe("resource.notFound");
    expect((await configure({ type: "AzureBlobStorage" })).status).toBe(422);
    expect((await configure(s3Storage("f/t/main", { advanced_permissions: [{ pattern: "*", allow: "read" }] }))).status).toBe(422);
  });

  it.each([
    ["without keys", { accessKey: undefined }, "file.storageResource"],
    ["at the address of cloud metadata", { endPoint: "169.254.169.254", port: 80 }, "file.storageFailed"],
    ["at the address of cloud metadata, written as a number", { endPoint: "2852039166", port: 80 }, "file.storageFailed"],
    ["in a private network", { endPoint: "10.0.0.1", port: 80 }, "file.storageFailed"],
    ["of an unknown host", { endPoint: "no-such-host.invalid", port: 80 }, "file.storageFailed"],
    ["without a bucket", { bucket: "there-is-no-such-bucket" }, "file.storageFailed"],
  ])("a storage %s is rejected with a reason", async (_what, fields, expected) => {
    await resource("f/t/bad", s3Value(buckets.main, fields));
    const answer = await ws.get("job_helpers/test_connection", { s3_resource_path: "f/t/bad" });
    expect([answer.status, code(answer)]).toEqual([400, expected]);
    expect(answer.text).not.toContain(SECRET);
    expectStatus(await ws.get("job_helpers/test_connection", { s3_resource_path: "f/t/main" }), 200);
  });

  it("the service follows no redirect of the storage", async () => {
    let requests = 0;
    const server = createServer((_request, response) => {
      requests += 1;
      response.writeHead(307, { location: `${shared().endpoint}/${buckets.main}/?list-type=2` }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await resource("f/t/moved", s3Value(buckets.main, { port }));
    const answer = await ws.get("job_helpers/test_connection", { s3_resource_path: "f/t/moved" });
    expect([code(answer), requests > 0]).toEqual(["file.storageFailed", true]);
    await new Promise((resolve) => server.close(resolve));
  });

  it("a resource does not expose a secret of another folder, because its references are limited to its folder", async () => {
    expectStatus(await ws.post("folders/create", { name: "hidden" }), 201);
    expectStatus(await ws.post("variables/create", { path: "f/hidden/key", value: SECRET, is_secret: true, description: "" }), 201);
    await resource("f/t/lent", s3Value(buckets.main, { secretKey: "$var:f/hidden/key" }));
    expectStatus(await configure(s3Storage("f/t/lent")), 200);
    expect(code(await read("a.txt"))).toBe("reference.unreadable");
    expectStatus(await configure(null), 200);
  });
});

describe("storage credentials for programs (v2/s3_resource_info)", () => {
  const info = (by: Workspace, body: object = {}) => by.post("job_helpers/v2/s3_resource_info", body);

  it("users who may read the resource get its keys, and all users get them if it is public", async () => {
    expect(code(await info(ws))).toBe("file.noKeys");
    expectStatus(await configure(s3Storage("f/t/main")), 200);
    const expected = { ...s3Value(buckets.main) };
    expect(expectStatus(await info(ws), 200).json).toEqual(expected);
    expect(expectStatus(await info(ws, { s3_resource_path: "f/t/main" }), 200).json).toEqual(expected);
    expect((await info(dev.in(ws))).status).toBe(404);
    expectStatus(await configure(s3Storage("f/t/main", { public_resource: true })), 200);
    expect(expectStatus(await info(dev.in(ws)), 200).json).toEqual(expected);
    expect((await info(dev.in(ws), { s3_resource_path: "f/t/main" })).status).toBe(404);
    expectStatus(await configure(null), 200);
  });

  it("the credentials are masked in the output of a job", async () => {
    const key = "a-long-planted-secret-key";
    await resource("f/t/planted", s3Value(buckets.main, { secretKey: key }));
    await ws.saveScript({
      path: "f/t/printer",
      language: "bun",
      content: `export async function main() {
        const { BASE_INTERNAL_URL: base, OV_WORKSPACE: ws, OV_TOKEN: token } = process.env;
        const answer = await fetch(\`\${base}/api/w/\${ws}/job_helpers/v2/s3_resource_info\`, { method: "POST", body: JSON.stringify({ s3_resource_path: "f/t/planted" }), headers: { authorization: "Bearer " + token } });
        const { secretKey } = await answer.json();
        console.log("it is " + secretKey);
        return secretKey.length;
      }`,
    });
    const answer = expectStatus(await ws.runWait("f/t/printer"), 200);
    expect(answer.json).toBe(key.length);
    const logs = await ws.get(`jobs_u/get_logs/${answer.headers.get("x-svc-job-id")}`);
    expect(logs.text).toBe(`it is ${"*".repeat(key.length)}\n`);
  });
});

describe("form files (spec 4.2.5)", () => {
  it("a form's files stay in the bucket of the deployment if the workspace uses another one, and their references name it", async () => {
    expectStatus(await configure(s3Storage("f/t/main")), 200);
    const [doc] = (await (await sendForm()).json()) as { s3: string; storage: string }[];
    expect(doc).toMatchObject({ storage: "_stack_", filename: "d.txt" });
    expect((await read(doc?.s3 ?? "", { storage: doc?.storage })).text).toBe("form bytes");
    expect((await read(`s3://${doc?.storage}/${doc?.s3}`)).text).toBe("form bytes");
    expectStatus(await configure(null), 200);
  });
});
