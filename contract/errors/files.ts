import type { Answers, NoDetails } from "./answer.ts";

/** Errors of stored files and of the buckets that hold them. */
export interface FileErrors {
  "file.key": { fileKey: string };
  "file.notFound": { fileKey: string };
  "file.storage": { storage: string };
  "file.storageOff": NoDetails;
  "file.storageFailed": { storage: string; reason: string };
  "file.storageResource": { path: string; reason: string };
  "file.noKeys": { storage: string };
  "file.ofJob": { fileKey: string };
  "file.otherStorage": { from: string; to: string };
  "file.link": NoDetails;
  "upload.notFound": { id: string };
  "upload.incomplete": { id: string; missing: readonly number[] };
}

export const fileAnswers: Answers<FileErrors> = {
  "file.key": {
    status: 400,
    describe: ({ fileKey }) => `${JSON.stringify(fileKey)} is not a valid file key: no part between slashes may be empty, '.' or '..'.`,
  },
  "file.notFound": { status: 404, describe: ({ fileKey }) => `There is no file ${fileKey}.` },
  "file.storage": {
    status: 400,
    describe: ({ storage }) =>
      `This workspace has no storage ${storage}. Omit 'storage' to use the default one, or add it as an admin with POST workspaces/edit_large_file_storage_config.`,
  },
  "file.storageOff": {
    status: 400,
    describe: () =>
      "File storage is turned off in this workspace. An admin can configure one with POST workspaces/edit_large_file_storage_config.",
  },
  "file.storageFailed": { status: 400, describe: ({ storage, reason }) => `The storage ${storage} cannot be used: ${reason}.` },
  "file.storageResource": { status: 400, describe: ({ path, reason }) => `The resource ${path} cannot be used as a storage: ${reason}.` },
  "file.noKeys": {
    status: 400,
    describe: ({ storage }) =>
      `The storage ${storage} is the service's own bucket and has no access keys. Use job_helpers/upload_s3_file, download_s3_file and presign_upload.`,
  },
  "file.ofJob": {
    status: 400,
    describe: ({ fileKey }) =>
      `${JSON.stringify(fileKey)} belongs to a job. It is deleted with the job, and only the job can write it. Choose another key.`,
  },
  "file.otherStorage": {
    status: 400,
    describe: ({ from, to }) =>
      `${JSON.stringify(from)} and ${JSON.stringify(to)} are in different storages, and a file moves only within its storage. Download the file and upload it to the other one.`,
  },
  "upload.notFound": {
    status: 404,
    describe: ({ id }) => `You have no upload ${id}, or its time is over. Begin another one.`,
  },
  "upload.incomplete": {
    status: 409,
    describe: ({ id, missing }) => `The upload ${id} is not complete. Send these parts: ${missing.join(", ")}.`,
  },
  "file.link": { status: 403, describe: () => "This file link is invalid or has expired. Request a new one from the sender." },
};
