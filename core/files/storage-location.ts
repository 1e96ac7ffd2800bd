import * as z from "zod";
import { SvcError } from "../../contract/errors.ts";
import type { FileStorage, S3Storage } from "../../contract/routes/workspaces/setting-schemas.ts";
import { removeTrailing } from "../patterns/remove-trailing.ts";

/** The name of the default storage in URLs. */
export const DEFAULT_STORAGE = "_default_";
/** The stack's own bucket, which stores the files of jobs, whatever the default storage is. */
export const STACK_STORAGE = "_stack_";

/** The location of files: the stack's bucket, a storage of the workspace, or a resource that the caller names. */
export type StorageLocation =
  | { kind: "stack" }
  | { kind: "workspace"; name: string; storage: S3Storage }
  | { kind: "resource"; path: string };

/**
 * Resolves the storage that a request names. Throws `file.storage` for an unknown storage and `file.storageOff` if storage is turned off.
 */
export function resolveStorageLocation(
  setting: FileStorage | undefined,
  { storage, s3_resource_path }: { storage?: string | null | undefined; s3_resource_path?: string | null | undefined },
): StorageLocation {
  if (s3_resource_path) return { kind: "resource", path: s3_resource_path.replace(/^\$res:/, "") };
  if (setting?.type === "none") throw new SvcError("file.storageOff", {});
  if (storage === STACK_STORAGE) return { kind: "stack" };
  if (!storage || storage === DEFAULT_STORAGE) {
    return setting?.type === "S3Storage" ? { kind: "workspace", name: DEFAULT_STORAGE, storage: setting } : { kind: "stack" };
  }
  const others = setting?.secondary_storage ?? {};
  const named = Object.hasOwn(others, storage) ? others[storage] : undefined;
  if (!named) throw new SvcError("file.storage", { storage });
  return { kind: "workspace", name: storage, storage: named };
}

const resourceSchema = z.object({
  bucket: z.string().min(1),
  region: z.string().nullish(),
  endPoint: z.string().nullish(),
  port: z.coerce.number().int().min(1).max(65_535).nullish(),
  useSSL: z.boolean().nullish(),
  pathStyle: z.boolean().nullish(),
  accessKey: z.string().min(1),
  secretKey: z.string().min(1),
});

/** The value of a resource of type `s3`, with defaults. */
export interface S3Resource {
  bucket: string;
  region: string;
  endPoint: string;
  port?: number;
  useSSL: boolean;
  pathStyle: boolean;
  accessKey: string;
  secretKey: string;
}

/**
 * Parses the value of a resource of type `s3`. Access keys are required, because the rights of the service do not apply to other buckets.
 * Throws `file.storageResource`.
 */
export function parseS3Resource(path: string, value: unknown): S3Resource {
  const parsed = resourceSchema.safeParse(value);
  if (!parsed.success) {
    const missing = [...new Set(parsed.error.issues.map((issue) => issue.path.join(".") || "its value"))];
    throw new SvcError("file.storageResource", { path, reason: `these fields are missing or of the wrong type: ${missing.join(", ")}` });
  }
  const { bucket, region, endPoint, port, useSSL, pathStyle, accessKey, secretKey } = parsed.data;
  const host = endPoint == null ? undefined : removeTrailing(endPoint.replace(/^https?:\/\//, ""), "/");
  if (host !== undefined && !/^[A-Za-z0-9.-]+(:\d+)?$|^\[[0-9A-Fa-f:.]+\](:\d+)?$/.test(host)) {
    throw new SvcError("file.storageResource", { path, reason: "endPoint is not a valid host name" });
  }
  const at = region || "us-east-1";
  return {
    bucket,
    region: at,
    endPoint: host || `s3.${at}.amazonaws.com`,
    ...(port ? { port } : {}),
    useSSL: useSSL ?? !endPoint?.startsWith("http://"),
    pathStyle: pathStyle ?? true,
    accessKey,
    secretKey,
  };
}

/** Returns the origin of a bucket's service, such as `https://s3.eu-central-1.amazonaws.com`. */
export const s3Origin = ({ endPoint, port, useSSL }: S3Resource) =>
  `${useSSL ? "https" : "http"}://${endPoint}${port && !/:\d+$/.test(endPoint) ? `:${port}` : ""}`;
