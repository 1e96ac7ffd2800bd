import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import type { FileStorage } from "../../contract/routes/workspaces/setting-schemas.ts";
import { checkFileKey, fileObjectKey, filesPrefix } from "../../core/files/file-key.ts";
import {
  parseS3Resource,
  resolveStorageLocation,
  type S3Resource,
  type StorageLocation,
  s3Origin,
} from "../../core/files/storage-location.ts";
import type { ExpectedVersions } from "../../core/objects/version.ts";
import type { Actor } from "../../core/people/actor.ts";
import type { Bucket } from "../../ports/buckets.ts";
import { permit } from "../identity/permit.ts";
import { findResource } from "../resources/read.ts";
import { resolveResource } from "../resources/resolve.ts";
import { loadFileStorage } from "../settings/file-storage.ts";
import { setWorkspaceSetting } from "../settings/workspace.ts";
import type { Uses } from "../uses.ts";

/** The storage in the request. */
export interface StorageName {
  storage?: string | null | undefined;
  s3_resource_path?: string | null | undefined;
}

/** A storage that is ready for use. */
export interface OpenStorage {
  where: StorageLocation;
  bucket: Bucket;
  /** Returns a file's key in the bucket. Throws `file.key`. */
  place(fileKey: string): string;
  /** The prefix of every file's key in the bucket. */
  prefix: string;
}

/**
 * Sets the file storage of a workspace. Throws `object.versionChanged`, `workspace.notFound`, and `resource.notFound` for a storage whose resource does not exist or
 * that the caller may not read.
 */
export async function setFileStorage(
  deps: Uses<"objects" | "nowMs">,
  actor: Actor,
  workspace: string,
  requested: FileStorage | undefined,
  expected?: ExpectedVersions,
): Promise<void> {
  const storageName = requested === undefined || requested.type === "none" ? [] : Object.values(requested.secondary_storage ?? {});
  for (const { s3_resource_path: path } of requested?.type === "S3Storage" ? [requested, ...storageName] : storageName) {
    permitStorageResource(actor, workspace, path);
    await findResource(deps, workspace, path);
  }
  await setWorkspaceSetting(deps, workspace, "large_file_storage", requested, { by: actor.username, expected });
}

/** Checks that a storage can be reached and listed. Throws as `openStorage` does, and `file.storage*` if the storage refuses the call. */
export async function checkStorage(
  deps: Uses<"objects" | "buckets" | "dataKeys" | "nowMs">,
  actor: Actor | undefined,
  workspace: string,
  storageName: StorageName,
): Promise<void> {
  const { bucket, prefix } = await openStorage(deps, actor, workspace, storageName);
  await bucket.listObjects(prefix, 1);
}

/** Opens a storage. Throws `file.storage*`, `resource.notFound`, `reference.*`. */
export async function openStorage(
  deps: Uses<"objects" | "buckets" | "dataKeys" | "nowMs">,
  actor: Actor | undefined,
  workspace: string,
  storageName: StorageName,
): Promise<OpenStorage> {
  const setting = storageName.s3_resource_path ? undefined : await loadFileStorage(deps.objects, workspace);
  const where = resolveStorageLocation(setting, storageName);
  if (where.kind === "stack") {
    return { where, bucket: deps.buckets.own(), place: (fileKey) => fileObjectKey(workspace, fileKey), prefix: filesPrefix(workspace) };
  }
  const { resource } = await loadStorageResource(deps, actor, workspace, where);
  const { bucket, region, pathStyle, accessKey, secretKey } = resource;
  const name = where.kind === "workspace" ? where.name : where.path;
  return {
    where,
    bucket: deps.buckets.foreign(name, { bucket, region, endpoint: s3Origin(resource), pathStyle, accessKey, secretKey }),
    place(fileKey) {
      checkFileKey(fileKey);
      return fileKey;
    },
    prefix: "",
  };
}

/**
 * Loads the bucket and keys of a storage, and which of them are secret. A resource that the request names must be readable by the caller.
 * Throws `resource.notFound`, `reference.*`.
 */
export async function loadStorageResource(
  deps: Uses<"objects" | "dataKeys" | "nowMs">,
  actor: Actor | undefined,
  workspace: string,
  where: Exclude<StorageLocation, { kind: "stack" }>,
): Promise<{ resource: S3Resource; secrets: string[] }> {
  const path = where.kind === "resource" ? where.path : where.storage.s3_resource_path;
  if (where.kind === "resource") {
    if (!actor) throw new SvcError("resource.notFound", { path });
    permitStorageResource(actor, workspace, path);
  }
  const reader = where.kind === "resource" && actor ? actor : storageActor(workspace, path);
  const { value, secrets } = await resolveResource(deps, reader, workspace, path);
  return { resource: parseS3Resource(path, value), secrets };
}

/** Throws `resource.notFound` if the caller may not read the resource. */
export function permitStorageResource(actor: Actor, workspace: string, path: string): void {
  permit(actor, actions.readResource, { workspace, path }, () => new SvcError("resource.notFound", { path }));
}

/**
 * Returns the actor with whose rights a storage's references are resolved: read access to the `u/<user>/` or `f/<folder>/` of its resource
 * only. With an admin's rights, a person who can change the resource could have any secret of the workspace sent to their own host.
 */
function storageActor(workspace: string, path: string): Actor {
  const [space, name = ""] = path.split("/");
  return {
    kind: "person",
    email: "",
    username: space === "u" ? name : "",
    superAdmin: false,
    tokenHash: "",
    tokenPrefix: "",
    rights: { workspace, role: "operator", groups: [], folders: space === "f" ? { [name]: "read" } : {}, objects: {} },
  };
}
