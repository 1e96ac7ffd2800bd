import { defined } from "../../../../../../contract/defined.ts";
import type { S3Storage } from "../../../../../../contract/routes/workspaces/setting-schemas.ts";

/** A further storage of files, as a row of its form. The other fields of a stored one stay. */
export interface StorageRow {
  name: string;
  path: string;
  isPublic: boolean;
  stored?: S3Storage;
}

export const newStorage: StorageRow = { name: "", path: "", isPublic: false };

export const toStorageRows = (storages: Readonly<Record<string, S3Storage>> | null | undefined): StorageRow[] =>
  Object.entries(storages ?? {}).map(([name, stored]) => ({
    name,
    path: stored.s3_resource_path,
    isPublic: stored.public_resource === true,
    stored,
  }));

/** Returns the storages of the rows by their names. Undefined: a row has no name or no resource, or two rows have one name. */
export function fromStorageRows(rows: readonly StorageRow[]): Record<string, S3Storage> | undefined {
  const isComplete = rows.every(({ name, path }) => name !== "" && path !== "");
  if (!isComplete || new Set(rows.map(({ name }) => name)).size < rows.length) return undefined;
  return Object.fromEntries(rows.map(({ name, path, isPublic, stored }) => [name, toStorage(path, isPublic, stored)]));
}

function toStorage(path: string, isPublic: boolean, stored: S3Storage | undefined): S3Storage {
  const { public_resource: before, ...kept } = stored ?? { type: "S3Storage" as const };
  const mark = isPublic ? true : before === undefined ? undefined : false;
  return { ...kept, type: "S3Storage", s3_resource_path: path, ...defined({ public_resource: mark }) };
}
