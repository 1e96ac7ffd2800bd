import type { Bucket, Buckets } from "../../aws/s3/buckets.ts";
import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import type { FileStorage } from "../../contract/routes/workspaces/settings.ts";
import { checkFileKey, fileObjectKey, filesPrefix } from "../../core/files/file-key.ts";
import {
  parseS3Resource,
  resolveStorageLocation,
  type S3Resource,
  type StorageLocation,
  s3Origin,
} from "../../core/files/storage-location.ts";
import type { Actor } from "../../core/people/actor.ts";
import { permit } from "../identity/permit.ts";
import { findResource } from "../resources/read.ts";
import { type ResolveDeps, resolveResource } from "../resources/resolve.ts";
import { loadFileStorage } from "../settings/file-storage.ts";
import { setWorkspaceSetting } from "../settings/workspace.ts";

export interface StorageDeps extends ResolveDeps {
  buckets: Buckets;
}

/** How a call names a storage. */
export interface StorageName {
  storage?: string | null | undefined;
  s3_resource_path?: string | null | undefined;
}

/** A storage as a call uses it. */
export interface OpenStorage {
  where: StorageLocation;
  bucket: Bucket;
  /** A file's key in the bucket. Throws `file.key`. */
  place(fileKey: string): string;
  /** What stands before every file's key there. */
  prefix: string;
}

/** Throws `workspace.notFound`, and `resource.notFound` for a storage whose resource is not there or is not the caller's to see. */
export async function setFileStorage(
  { objects }: Pick<StorageDeps, "objects">,
  actor: Actor,
  workspace: string,
  asked: FileStorage | undefined,
): Promise<void> {
  const named = asked === undefined || asked.type === "none" ? [] : Object.values(asked.secondary_storage ?? {});
  for (const { s3_resource_path: path } of asked?.type === "S3Storage" ? [asked, ...named] : named) {
    permitStorageResource(actor, workspace, path);
    await findResource({ objects }, workspace, path);
  }
  await setWorkspaceSetting({ objects }, workspace, "large_file_storage", asked);
}

/** Opens the storage that a call names. Throws `file.storage*`, `resource.notFound`, `reference.*`. */
export async function openStorage(
  deps: StorageDeps,
  actor: Actor | undefined,
  workspace: string,
  named: StorageName,
): Promise<OpenStorage> {
  const setting = named.s3_resource_path ? undefined : await loadFileStorage(deps.objects, workspace);
  const where = resolveStorageLocation(setting, named);
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

/** The bucket and keys behind a storage, and what of it is secret. A resource that the caller names must be theirs to read. */
export async function loadStorageResource(
  deps: StorageDeps,
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

/** Throws `resource.notFound` where the caller may not read it. */
export function permitStorageResource(actor: Actor, workspace: string, path: string): void {
  permit(actor, actions.readResource, { workspace, path }, () => new SvcError("resource.notFound", { path }));
}

/**
 * Whose rights a storage's references are read with: what stands under the same `u/<user>/` or `f/<folder>/` as its resource, and no more.
 * With an admin's, whoever may change the resource could have any secret of the workspace sent to a host of their own.
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
