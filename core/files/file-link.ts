import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

/** A file that a link shows, and until when. */
export interface FileLink {
  workspace: string;
  storage: string;
  fileKey: string;
  untilS: number;
}

interface LinkKey {
  version: number;
  key: Buffer;
}

function signature({ key }: LinkKey, { workspace, storage, fileKey, untilS }: FileLink): Buffer {
  const own = Buffer.from(hkdfSync("sha256", key, "", "svc file links", 32));
  return createHmac("sha256", own)
    .update(JSON.stringify([workspace, storage, fileKey, untilS]))
    .digest();
}

/** The proof that a user who may read the file created the link: expiry, version of the key, signature. */
export function createFileLink(key: LinkKey, linked: FileLink): string {
  return `${linked.untilS}.${key.version}.${signature(key, linked).toString("base64url")}`;
}

/** Whether a link is one of ours for this file and has not expired. A replaced key ends all links. */
export function isValidFileLink(key: LinkKey, link: string, file: Omit<FileLink, "untilS">, nowMs: number): boolean {
  const [, until, version, sent = ""] = /^(\d{1,12})\.(\d{1,9})\.([\w-]{43})$/.exec(link) ?? [];
  if (until === undefined || Number(version) !== key.version || Number(until) * 1000 <= nowMs) return false;
  return timingSafeEqual(Buffer.from(sent, "base64url"), signature(key, { ...file, untilS: Number(until) }));
}
