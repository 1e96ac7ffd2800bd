import { expect, it } from "vitest";
import { fromStorageRows, newStorage, toStorageRows } from "./storages.ts";

it("storages are unchanged by a form without an edit, and each needs a name of its own and a resource", () => {
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
