import { expect, it } from "vitest";
import { fromStorageRows, newStorage, toStorageRows } from "./storages.ts";

it("a form without an edit leaves the storages as they are, and a storage needs a resource and a name that no other one has", () => {
  const stored = {
    archive: { type: "S3Storage" as const, s3_resource_path: "f/ops/bucket", public_resource: false },
    logs: { type: "S3Storage" as const, s3_resource_path: "f/ops/logs" },
  };
  const rows = toStorageRows(stored);
  expect(fromStorageRows(rows)).toEqual(stored);
  expect(fromStorageRows([...rows, newStorage])).toBeUndefined();
  expect(fromStorageRows([...rows, { ...newStorage, name: "logs", path: "f/ops/other" }])).toBeUndefined();
  expect(fromStorageRows([{ ...newStorage, name: "a", path: "f/a/b", isPublic: true }])).toEqual({
    a: { type: "S3Storage", s3_resource_path: "f/a/b", public_resource: true },
  });
});
