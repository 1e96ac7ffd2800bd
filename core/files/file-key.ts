import { SvcError } from "../../contract/errors.ts";
import { objectFolders, type Retention } from "../../contract/retention.ts";

const JOB = new RegExp(`^(${Object.values(objectFolders).join("|")})/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/(.+)$`);

/** Checks a file key. Throws `file.key` if a part is empty, `.` or `..`, or if the key is too long. */
export function checkFileKey(fileKey: string): void {
  const parts = fileKey.split("/");
  const bad =
    fileKey.length === 0 || Buffer.byteLength(fileKey) > 900 || parts.some((part) => part === "" || part === "." || part === "..");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no key contains them
  if (bad || /[\u0000-\u001f\u007f\\]/.test(fileKey)) throw new SvcError("file.key", { fileKey: fileKey.slice(0, 100) });
}

/** Returns the job to which a file in the stack's bucket belongs. The file has the visibility of the job and is deleted with it. */
export function findFileJob(fileKey: string): string | undefined {
  return JOB.exec(fileKey)?.[2];
}

/**
 * Returns the key of a file that belongs to a job. It begins with the folder of the job's objects, so that the key alone identifies the object.
 */
export const jobFileKey = ({ id, retention }: { id: string; retention: Retention }, name: string) =>
  `${objectFolders[retention]}/${id}/${name}`;

/** Returns the prefix of a workspace's files in the stack's bucket. */
export const filesPrefix = (workspace: string) => `files/${workspace}/`;

/**
 * Returns the object key of a workspace's file in the stack's bucket. A file of a job is stored with the other objects of the job. Throws
 * `file.key`.
 */
export function fileObjectKey(workspace: string, fileKey: string): string {
  checkFileKey(fileKey);
  const [, folder, job, name] = JOB.exec(fileKey) ?? [];
  return job === undefined ? `${filesPrefix(workspace)}${fileKey}` : `${folder}/${workspace}/${job}/files/${name}`;
}

/**
 * Returns the target of a permission check for a file. Keys under `u/<user>/` and `f/<folder>/` have the permissions of these paths. Every
 * member may access the others.
 */
export function filePermissionTarget(workspace: string, fileKey: string): { workspace: string; path?: string } {
  return /^[uf]\/[^/]+\//.test(fileKey) ? { workspace, path: fileKey } : { workspace };
}

/** A stored file that a value names. Without `storage`, it is in the default storage. */
export interface FileReference {
  fileKey: string;
  storage: string | undefined;
}

/** Parses the short form of a file, `s3://<storage>/<key>`, or `s3:///<key>` in the default storage (api.md §5). */
export function parseFile(fileKey: string, storage: string | undefined): FileReference {
  const [, named, key] = /^s3:\/\/([^/]*)\/(.+)$/s.exec(fileKey) ?? [];
  return key === undefined ? { fileKey, storage } : { fileKey: key, storage: named || storage };
}

/** Returns the content type under which a bucket stores a file: the one that was sent if it is a valid header value, otherwise that of bytes. */
export const storableContentType = (contentType: string): string =>
  /^[\x20-\x7e]{1,200}$/.test(contentType) ? contentType : "application/octet-stream";
