import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

/** The file of a link, and the time at which the link expires (epoch seconds). */
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
  const linkKey = Buffer.from(hkdfSync("sha256", key, "", "svc file links", 32));
  return createHmac("sha256", linkKey)
    .update(JSON.stringify([workspace, storage, fileKey, untilS]))
    .digest();
}

/** Creates the link to a file: expiry, version of the key, signature. It proves that a user with read access created it. */
export function createFileLink(key: LinkKey, linked: FileLink): string {
  return `${linked.untilS}.${key.version}.${signature(key, linked).toString("base64url")}`;
}

/** Returns whether a link is valid for this file and has not expired. Replacing the key invalidates all links. */
export function isValidFileLink(key: LinkKey, link: string, file: Omit<FileLink, "untilS">, nowMs: number): boolean {
  const [, until, version, linkSignature = ""] = /^(\d{1,12})\.(\d{1,9})\.([\w-]{43})$/.exec(link) ?? [];
  if (until === undefined || Number(version) !== key.version || Number(until) * 1000 <= nowMs) return false;
  return timingSafeEqual(Buffer.from(linkSignature, "base64url"), signature(key, { ...file, untilS: Number(until) }));
}
