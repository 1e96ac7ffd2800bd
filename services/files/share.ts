import { SvcError } from "../../contract/errors.ts";
import { parseFile } from "../../core/files/file-key.ts";
import { createFileLink, isValidFileLink } from "../../core/files/file-link.ts";
import { DEFAULT_STORAGE, resolveStorageLocation, type S3Resource } from "../../core/files/storage-location.ts";
import type { DataKey } from "../../core/secrets/seal.ts";
import { evictKeyRing, loadKeyRing, loadSealingKey } from "../secrets/key-ring.ts";
import { revealSecrets, type SecretReader } from "../secrets/reveal.ts";
import { loadFileStorage } from "../settings/file-storage.ts";
import type { Uses } from "../uses.ts";
import { type FileCaller, type FileDownload, loadBytesOrUrl, resolveReadableFile } from "./files.ts";
import { loadStorageResource, openStorage, permitStorageResource, type StorageName } from "./storages.ts";

/** The default validity of a link, in seconds. */
const LINK_S = 24 * 3600;
/** The validity of the presigned URL to which a link redirects if the file is too large for a reply, in seconds. */
const FOLLOW_S = 300;

interface Signable {
  s3: string;
  storage?: string | null | undefined;
}

/** Loads the workspace's newest key, with which links are signed and verified, even if this process has an older one in its cache. */
async function loadLinkKey(deps: Uses<"objects" | "dataKeys" | "nowMs">, workspace: string): Promise<DataKey | undefined> {
  const ring = await loadKeyRing(deps, workspace);
  if (!ring) return undefined;
  const { dataKey } = await loadSealingKey(deps, workspace);
  if (dataKey.version === ring.current) return dataKey;
  evictKeyRing(workspace);
  return (await loadSealingKey(deps, workspace)).dataKey;
}

/** Returns the files with the query of a signed link to each. The caller must be allowed to read all of them. Throws `file.*`. */
export async function signFiles<F extends Signable>(
  deps: Uses<"jobs" | "objects" | "buckets" | "dataKeys" | "nowMs">,
  caller: FileCaller,
  requested: readonly F[],
  expiresInS = LINK_S,
): Promise<(F & { presigned: string })[]> {
  const { workspace } = caller;
  const key = (await loadLinkKey(deps, workspace)) ?? (await loadSealingKey(deps, workspace)).dataKey;
  const untilS = Math.floor(deps.nowMs() / 1000) + expiresInS;
  return Promise.all(
    requested.map(async (file) => {
      const { fileKey, storage = DEFAULT_STORAGE } = parseFile(file.s3, file.storage || undefined);
      await resolveReadableFile(deps, caller, fileKey, { storage });
      const reference = storage === DEFAULT_STORAGE ? { s3: fileKey } : { s3: fileKey, storage };
      return { ...file, ...reference, presigned: formatLinkQuery(createFileLink(key, { workspace, storage, fileKey, untilS }), fileKey) };
    }),
  );
}

/** A proxy may also decode a path, which makes a key with a percent sign ambiguous. A query is decoded once. */
const formatLinkQuery = (link: string, fileKey: string) =>
  `svc_link=${link}${fileKey.includes("%") ? `&svc_key=${encodeURIComponent(fileKey)}` : ""}`;

/** Returns a file by its signed link. The storage is not read before the link is verified. Throws `file.link`, `file.*`. */
export async function downloadSignedFile(
  deps: Uses<"objects" | "buckets" | "dataKeys" | "nowMs">,
  file: { workspace: string; storage: string; fileKey: string },
  link: string,
): Promise<FileDownload> {
  const { workspace, storage, fileKey } = file;
  // A workspace without keys has no valid links. A request with a link must not create keys.
  const key = await loadLinkKey(deps, workspace);
  if (!key || !isValidFileLink(key, link, file, deps.nowMs())) throw new SvcError("file.link", {});
  const open = await openStorage(deps, undefined, workspace, { storage });
  return loadBytesOrUrl(open, open.place(fileKey), fileKey, FOLLOW_S);
}

/**
 * Returns the bucket and keys of a storage, and records the read in the audit log. The caller must be allowed to read the storage's resource,
 * unless the workspace has made it public. Throws `file.noKeys`.
 */
export async function getStorageResource(
  deps: Uses<"jobs" | "objects" | "dataKeys" | "nowMs">,
  caller: FileCaller & SecretReader,
  storageName: StorageName,
): Promise<S3Resource> {
  const { actor, workspace } = caller;
  const where = resolveStorageLocation(
    storageName.s3_resource_path ? undefined : await loadFileStorage(deps.objects, workspace),
    storageName,
  );
  if (where.kind === "stack") throw new SvcError("file.noKeys", { storage: storageName.storage || DEFAULT_STORAGE });
  if (where.kind === "workspace" && !where.storage.public_resource) permitStorageResource(actor, workspace, where.storage.s3_resource_path);
  const { resource, secrets } = await loadStorageResource(deps, actor, workspace, where);
  const path = where.kind === "resource" ? where.path : where.storage.s3_resource_path;
  await revealSecrets(deps, caller, { secrets: [...secrets, resource.secretKey], resource: path });
  return resource;
}
