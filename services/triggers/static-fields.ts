import { actions } from "../../contract/access/actions.ts";
import { isSvcError, SvcError } from "../../contract/errors.ts";
import type { HttpFields } from "../../contract/routes/triggers/http-fields.ts";
import { checkFileKey, filePermissionTarget } from "../../core/files/file-key.ts";
import { resolveStorageLocation } from "../../core/files/storage-location.ts";
import { findStaticPlace } from "../../core/http-routes/static.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { may } from "../../core/permissions/may.ts";
import type { ObjectStore } from "../../ports/object-store.ts";
import { loadFileStorage } from "../settings/file-storage.ts";

/**
 * Checks the fields of a route that serves files. The caller, and the caller's token, must be allowed to read them. Throws `trigger.source`, and
 * `file.storage*` for a storage that does not exist.
 */
export async function checkStaticFields(
  objects: Pick<ObjectStore, "get">,
  { actor, workspace }: WorkspaceCaller,
  fields: HttpFields,
): Promise<void> {
  const refuse = (field: string, reason: string) => new SvcError("trigger.source", { field, reason });
  const location = findStaticPlace(fields);
  if (!location) {
    if (fields.is_static_website) throw refuse("static_asset_config", "a static website needs static_asset_config with the folder in s3");
    return;
  }
  if (fields.http_method !== "get")
    throw refuse("http_method", "a route that serves files must have the method get, which also answers HEAD");
  try {
    checkFileKey(location.root);
  } catch (error) {
    if (!isSvcError(error) || error.code !== "file.key") throw error;
    throw refuse("static_asset_config.s3", "this is not the key of a file or folder");
  }
  if (!may(actor, actions.downloadFile.access, filePermissionTarget(workspace, location.isFolder ? `${location.root}/` : location.root)))
    throw refuse("static_asset_config.s3", "you may not read this file or folder, or your token has no scope files:read");
  const where = resolveStorageLocation(await loadFileStorage(objects, workspace), location);
  if (where.kind === "stack") return;
  const reason = "routes serve files only from the storage of this service, because they cannot read the access keys of another bucket";
  throw refuse("static_asset_config.storage", `${reason}; use the storage _stack_`);
}
