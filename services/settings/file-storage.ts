import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { type FileStorage, fileStorageSchema } from "../../contract/routes/workspaces/setting-schemas.ts";
import { keys } from "../../core/objects/keys.ts";
import { parseObject } from "../../core/objects/parse-object.ts";

/** Loads the file storage of a workspace. `undefined` means the stack's own bucket, which is the default. */
export async function loadFileStorage(objects: Pick<ObjectTable, "get">, workspace: string): Promise<FileStorage | undefined> {
  const found = await objects.get(keys.setting(workspace, "large_file_storage"));
  return found?.value ? parseObject(fileStorageSchema, found) : undefined;
}
