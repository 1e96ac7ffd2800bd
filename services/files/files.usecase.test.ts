import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { buckets } from "../../aws/s3/buckets.ts";
import { fileRoutes } from "../../contract/routes/stored/files.ts";
import { fileObjectKey } from "../../core/files/file-key.ts";
import { resourceObject } from "../../core/resources/resource.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { addWorkspace } from "../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { setWorkspaceSetting } from "../settings/workspace.ts";
import { moveFile, presignUpload } from "./files.ts";
import { storeFiles } from "./store.ts";

let world: World;
beforeAll(async () => {
  world = await newWorld();
  await addWorkspace(world);
  // No host has this address (RFC 5737).
  const value = { bucket: "theirs", endPoint: "203.0.113.1", useSSL: false, accessKey: "a", secretKey: "b" };
  const path = "f/ops/bucket";
  const stored = { path, json: JSON.stringify(value), resourceType: "s3", createdBy: "ann", editedAtMs: world.clock.nowMs };
  await world.deps.objects.put({ ...resourceObject.key(world.workspace, path), value: stored });
  const secondary_storage = { theirs: { type: "S3Storage" as const, s3_resource_path: path } };
  await setWorkspaceSetting(world.deps, world.workspace, "large_file_storage", { type: "stack", secondary_storage });
});

it("a move never reads another bucket than the one whose rights were checked, so no key reaches another workspace", async () => {
  const victim = `files/other-${randomUUID()}/report.txt`;
  const own = buckets.own();
  await own.putObject(victim, Buffer.from("of another workspace"), "text/plain");
  const caller = { actor: anAdmin, action: fileRoutes.moveFile, workspace: world.workspace };
  const deps = { ...world.deps, buckets };
  for (const [from, to] of [
    [`s3://theirs/${victim}`, "s3://_default_/stolen.txt"],
    [`s3://theirs/${victim}`, "s3://_stack_/stolen.txt"],
    ["s3:///mine.txt", "s3://theirs/given.txt"],
  ] as const) {
    await expect(moveFile(deps, caller, { from, to }, {})).rejects.toMatchObject({ code: "file.otherStorage" });
  }
  expect(await own.headObject(fileObjectKey(world.workspace, "stolen.txt"))).toBeUndefined();
});

it.each([
  ["letters of two code units, at any place of the cut", ["𠀀".repeat(60), `${"𠀀".repeat(60)}a`, `a${"𠀀".repeat(60)}`], "text/plain"],
  ["half a surrogate pair", ["a\ud840", "\udc00"], "text/plain"],
  ["a long type", ["a"], `text/${"x".repeat(15_000)}`],
])("a file of a stranger's form or mail is stored even if its name or type has %s", async (_, names, contentType) => {
  const job = { id: randomUUID(), workspace: world.workspace, retention: "long", expiresAtMs: 0 } as const;
  const files = names.map((filename) => ({ argument: "a", filename, contentType, bytes: Buffer.from("x") }));
  const { a: stored = [] } = await storeFiles(world.deps, job, files);
  expect(stored.map(({ s3 }) => s3.isWellFormed() && s3.length < 400)).toEqual(names.map(() => true));
  for (const { content_type } of stored) expect(content_type.length).toBeLessThanOrEqual(200);
});

describe("a presigned upload", () => {
  const caller = () => ({ actor: anAdmin, action: fileRoutes.presignUpload, workspace: world.workspace });
  const uploadsUrl = "https://svc.example.com/upload";

  it("of the deployment's own bucket has an address at the origin of the service, with the path and the query that are signed", async () => {
    const presigned = await presignUpload({ ...world.deps, buckets, uploadsUrl }, caller(), { extension: "csv" }, {});
    const { pathname, search } = new URL(presigned.url);
    expect(presigned).toMatchObject({ upload_url: `${uploadsUrl}${pathname}${search}`, file_key: expect.stringMatching(/\.csv$/) });
  });

  it.each([
    ["of another bucket", { storage: "theirs" }, uploadsUrl],
    ["of a deployment that passes no uploads on", {}, undefined],
  ])("%s has none", async (_, storage, url) => {
    const presigned = await presignUpload({ ...world.deps, buckets, uploadsUrl: url }, caller(), { fileKey: "one.txt" }, storage);
    expect(presigned).not.toHaveProperty("upload_url");
    expect(presigned.url).toContain("X-Amz-Signature");
  });
});
