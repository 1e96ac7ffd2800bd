import { SvcError } from "../../contract/errors.ts";
import { parseFile } from "../../core/files/file-key.ts";
import { createFileLink, isValidFileLink } from "../../core/files/file-link.ts";
import { DEFAULT_STORAGE, resolveStorageLocation, type S3Resource } from "../../core/files/storage-location.ts";
import type { DataKey } from "../../core/secrets/seal.ts";
import { evictKeyRing, loadKeyRing, loadSealingKey } from "../secrets/key-ring.ts";
import { loadFileStorage } from "../settings/file-storage.ts";
import { type FileCaller, type FileDownload, type FilesDeps, loadBytesOrUrl, resolveReadableFile } from "./files.ts";
import { loadStorageResource, openStorage, permitStorageResource, type StorageName } from "./storages.ts";

/** How long a link works unless its maker says otherwise. */
const LINK_S = 24 * 3600;
/** A file that does not fit a reply is sent from the bucket itself: this long after a valid link was followed. */
const FOLLOW_S = 300;

interface Signable {
  s3: string;
  storage?: string | null | undefined;
}

/** The key that links are made with and held against: the workspace's newest, also where this process knows an older one. */
async function linkKey(files: FilesDeps, workspace: string): Promise<DataKey | undefined> {
  const ring = await loadKeyRing(files, workspace);
  if (!ring) return undefined;
  const { dataKey } = await loadSealingKey(files, workspace);
  if (dataKey.version === ring.current) return dataKey;
  evictKeyRing(workspace);
  return (await loadSealingKey(files, workspace)).dataKey;
}

/** The query of a link to each file. The asker must be allowed to read every one. */
export async function signFiles<F extends Signable>(
  files: FilesDeps,
  asker: FileCaller,
  asked: readonly F[],
  expiresInS = LINK_S,
): Promise<(F & { presigned: string })[]> {
  const { workspace } = asker;
  const key = (await linkKey(files, workspace)) ?? (await loadSealingKey(files, workspace)).dataKey;
  const untilS = Math.floor(files.nowMs() / 1000) + expiresInS;
  return Promise.all(
    asked.map(async (file) => {
      const { fileKey, storage = DEFAULT_STORAGE } = parseFile(file.s3, file.storage || undefined);
      await resolveReadableFile(files, asker, fileKey, { storage });
      const place = storage === DEFAULT_STORAGE ? { s3: fileKey } : { s3: fileKey, storage };
      return { ...file, ...place, presigned: `svc_link=${createFileLink(key, { workspace, storage, fileKey, untilS })}` };
    }),
  );
}

/** A file by its link. Nothing is looked at before the link is known to be ours. Throws `file.link`, `file.*`. */
export async function downloadSignedFile(
  files: FilesDeps,
  file: { workspace: string; storage: string; fileKey: string },
  link: string,
): Promise<FileDownload> {
  const { workspace, storage, fileKey } = file;
  // A workspace without keys has made no links, and must not get keys by being asked.
  const key = await linkKey(files, workspace);
  if (!key || !isValidFileLink(key, link, file, files.nowMs())) throw new SvcError("file.link", {});
  const open = await openStorage(files, undefined, workspace, { storage });
  return loadBytesOrUrl(open, open.place(fileKey), fileKey, FOLLOW_S);
}

/** Bucket and keys of a storage, for who may read its resource, or everybody where the workspace says so. Throws `file.noKeys`. */
export async function getStorageResource(
  files: FilesDeps,
  { actor, workspace }: FileCaller,
  named: StorageName,
): Promise<{ info: S3Resource; secrets: string[] }> {
  const where = resolveStorageLocation(named.s3_resource_path ? undefined : await loadFileStorage(files.objects, workspace), named);
  if (where.kind === "stack") throw new SvcError("file.noKeys", { storage: named.storage || DEFAULT_STORAGE });
  if (where.kind === "workspace" && !where.storage.public_resource) permitStorageResource(actor, workspace, where.storage.s3_resource_path);
  const { resource, secrets } = await loadStorageResource(files, actor, workspace, where);
  return { info: resource, secrets: [...secrets, resource.secretKey] };
}
