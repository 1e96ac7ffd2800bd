import { describe, expect, it } from "vitest";
import { fileStorageSchema } from "../../contract/routes/workspaces/setting-schemas.ts";
import { parseS3Resource, resolveStorageLocation, s3Origin } from "./storage-location.ts";

const s3 = (path: string, fields = {}) => ({ type: "S3Storage" as const, s3_resource_path: path, ...fields });

describe("storage locations", () => {
  it("the default storage without a setting is the stack's bucket", () => {
    for (const storage of [undefined, null, "", "_default_", "_stack_"])
      expect(resolveStorageLocation(undefined, { storage })).toEqual({ kind: "stack" });
  });
  it("the workspace's setting or the named storage is used", () => {
    const setting = { ...s3("f/t/main"), secondary_storage: { more: s3("f/t/more") } };
    expect(resolveStorageLocation(setting, {})).toMatchObject({ name: "_default_", storage: { s3_resource_path: "f/t/main" } });
    expect(resolveStorageLocation(setting, { storage: "more" })).toMatchObject({ name: "more", storage: { s3_resource_path: "f/t/more" } });
    expect(resolveStorageLocation(setting, { storage: "_stack_" })).toEqual({ kind: "stack" });
    expect(resolveStorageLocation(setting, { storage: "more", s3_resource_path: "$res:u/a/b" })).toEqual({
      kind: "resource",
      path: "u/a/b",
    });
  });
  it.each(["other", "constructor", "__proto__"])("the error names the missing storage %s", (storage) => {
    expect(() => resolveStorageLocation({ type: "stack" }, { storage })).toThrow(expect.objectContaining({ code: "file.storage" }));
  });
  it("only a resource can be used if storage is turned off", () => {
    for (const storage of [undefined, "_stack_", "x"]) {
      expect(() => resolveStorageLocation({ type: "none" }, { storage })).toThrow(expect.objectContaining({ code: "file.storageOff" }));
    }
    expect(resolveStorageLocation({ type: "none" }, { s3_resource_path: "u/a/b" })).toEqual({ kind: "resource", path: "u/a/b" });
  });
});

describe("S3 resources", () => {
  const keys = { bucket: "b", accessKey: "a", secretKey: "s" };
  it.each([
    [{}, "https://s3.us-east-1.amazonaws.com"],
    [{ region: "eu-central-1" }, "https://s3.eu-central-1.amazonaws.com"],
    [{ endPoint: "minio.example.com", port: 9000, useSSL: false }, "http://minio.example.com:9000"],
    [{ endPoint: "http://localhost:4566/" }, "http://localhost:4566"],
    [{ endPoint: "[::1]", port: 1 }, "https://[::1]:1"],
  ])("a resource %j has the origin %s", (fields, origin) =>
    expect(s3Origin(parseS3Resource("u/a/b", { ...keys, ...fields }))).toBe(origin),
  );

  it.each([null, "text", {}, { bucket: "b" }, { ...keys, secretKey: "" }, { ...keys, endPoint: "a@b/c" }, { ...keys, endPoint: "a?b" }])(
    "a resource %j without access keys is rejected",
    (value) => expect(() => parseS3Resource("u/a/b", value)).toThrow(expect.objectContaining({ code: "file.storageResource" })),
  );
});

it("a setting with unsupported rules is rejected", () => {
  expect(fileStorageSchema.safeParse({ ...s3("f/t/s3"), advanced_permissions: [{ pattern: "*", allow: "read" }] }).success).toBe(false);
  expect(fileStorageSchema.parse({ ...s3("$res:f/t/s3"), advanced_permissions: null })).toMatchObject({ s3_resource_path: "f/t/s3" });
  expect(fileStorageSchema.safeParse({ type: "AzureBlobStorage" }).success).toBe(false);
});
