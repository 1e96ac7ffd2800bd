import { SvcError } from "../../contract/errors.ts";

const JOB = /^jobs\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/(.+)$/;

/** Throws `file.key` for a key that names no place of its own. */
export function checkFileKey(fileKey: string): void {
  const parts = fileKey.split("/");
  const bad =
    fileKey.length === 0 || Buffer.byteLength(fileKey) > 900 || parts.some((part) => part === "" || part === "." || part === "..");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no key holds them
  if (bad || /[\u0000-\u001f\u007f\\]/.test(fileKey)) throw new SvcError("file.key", { fileKey: fileKey.slice(0, 100) });
}

/** The job that a file came with, where it is one of the stack's own bucket: it is read by who may see the job, and goes with it. */
export function findFileJob(fileKey: string): string | undefined {
  return JOB.exec(fileKey)?.[1];
}

/** The key of a file that comes with a job. */
export const jobFileKey = (job: string, name: string) => `jobs/${job}/${name}`;

/** Where a workspace's files begin in the stack's bucket. */
export const filesPrefix = (workspace: string) => `files/${workspace}/`;

/** Where a workspace's file lies in the stack's bucket; a job's stands with all else that the job has there. Throws `file.key`. */
export function fileObjectKey(workspace: string, fileKey: string): string {
  checkFileKey(fileKey);
  const [, job, name] = JOB.exec(fileKey) ?? [];
  return job === undefined ? `${filesPrefix(workspace)}${fileKey}` : `jobs/${workspace}/${job}/files/${name}`;
}

/** What `may` is asked about a file: keys under `u/<user>/` and `f/<folder>/` are paths like any other, the rest is everybody's in the workspace. */
export function filePermissionTarget(workspace: string, fileKey: string): { workspace: string; path?: string } {
  return /^[uf]\/[^/]+\//.test(fileKey) ? { workspace, path: fileKey } : { workspace };
}

/** `s3://<storage>/<key>`, or `s3:///<key>` in the default storage: the short form of a file (api.md §5). */
export function parseFile(fileKey: string, storage: string | undefined): { fileKey: string; storage: string | undefined } {
  const [, named, key] = /^s3:\/\/([^/]*)\/(.+)$/s.exec(fileKey) ?? [];
  return key === undefined ? { fileKey, storage } : { fileKey: key, storage: named || storage };
}
