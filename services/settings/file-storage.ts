import type { FileStorage } from "../../contract/routes/workspaces/setting-schemas.ts";
import { fileStorageSetting } from "../../core/settings/workspace.ts";
import type { ObjectStore } from "../../ports/object-store.ts";

/** Loads the file storage of a workspace. `undefined` means the stack's own bucket, which is the default. */
export async function loadFileStorage(objects: Pick<ObjectStore, "get">, workspace: string): Promise<FileStorage | undefined> {
  const found = await objects.get(fileStorageSetting.key(workspace));
  return found?.value ? fileStorageSetting.parse(found) : undefined;
}
