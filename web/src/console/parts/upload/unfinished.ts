import { isJsonObject } from "../../../../../contract/json/json-object.ts";
import { keyOfPerson, listKeysOfPerson, readStored, store } from "../../data/browser-storage.ts";

/** The person who uploads. Another person who signs in to this browser sees none of the uploads. */
export interface Uploader {
  workspace: string;
  username: string;
}

/** The key and the storage at which a file is stored. */
export interface UploadTarget {
  key: string;
  storage: string | undefined;
}

/** The facts by which the page recognises a file that the person chooses again. */
export type FileFacts = Pick<File, "name" | "size" | "lastModified">;

/** An upload in parts that this browser can continue. It contains no address of a part, because anyone could use it. */
export interface UnfinishedUpload extends FileFacts {
  /** The id of the upload in the service, which only its person can use. */
  id: string;
  storedBytes: number;
  expiresAt: string;
  /** Absent: the service has chosen a new key. */
  target?: UploadTarget;
}

const keyOf = ({ workspace, username }: Uploader, id: string) => keyOfPerson("upload", username, workspace, id);

/** Stores an upload until it is complete, so that a page can continue it after a reload. */
export const keepUnfinished = (uploader: Uploader, upload: UnfinishedUpload): void => store(keyOf(uploader, upload.id), upload);

export const forgetUnfinished = (uploader: Uploader, id: string): void => store(keyOf(uploader, id), undefined);

/** Lists the uploads that can be continued, and removes expired ones. */
export function listUnfinished(uploader: Uploader, nowMs = Date.now()): UnfinishedUpload[] {
  return listKeysOfPerson("upload", uploader.username, uploader.workspace, "").flatMap((key) => {
    const upload = parseUnfinished(readStored(key));
    if (upload && Date.parse(upload.expiresAt) > nowMs) return [upload];
    store(key, undefined);
    return [];
  });
}

/** Other programs can write into the storage of the browser. */
function parseUnfinished(value: unknown): UnfinishedUpload | undefined {
  if (!isJsonObject(value)) return undefined;
  const { id, name, size, lastModified, storedBytes, expiresAt, target } = value;
  if (typeof id !== "string" || typeof name !== "string" || typeof expiresAt !== "string") return undefined;
  if (typeof size !== "number" || typeof lastModified !== "number" || typeof storedBytes !== "number") return undefined;
  const upload = { id, name, size, lastModified, storedBytes, expiresAt };
  if (!isJsonObject(target)) return upload;
  const { key, storage } = target;
  if (typeof key !== "string") return undefined;
  return { ...upload, target: { key, storage: typeof storage === "string" ? storage : undefined } };
}

export const isSameFile = (one: FileFacts, other: FileFacts): boolean =>
  one.name === other.name && one.size === other.size && one.lastModified === other.lastModified;

/** Returns whether an upload of a file to a target can continue an unfinished one. */
export const continues = (upload: UnfinishedUpload, file: FileFacts, target: UploadTarget | undefined): boolean =>
  isSameFile(upload, file) && upload.target?.key === target?.key && upload.target?.storage === target?.storage;
