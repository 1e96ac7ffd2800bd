/** Returns whether `If-None-Match` names the ETag. Weak tags are equal to strong ones here (RFC 9110 §13.1.2). */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const plain = (tag: string) => tag.trim().replace(/^W\//, "");
  return ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((tag) => plain(tag) === plain(etag));
}

/** Returns the version of an object as an ETag. */
export const toEtag = (version: string): string => `"${version}"`;

/**
 * Returns the versions that `If-Match` names, or `undefined` if it accepts any. Proxies that compress replies make ETags weak, so a weak ETag is
 * accepted, and so is one without quotation marks.
 */
export function parseIfMatch(ifMatch: string | undefined): string[] | undefined {
  if (ifMatch === undefined || ifMatch.trim() === "*") return undefined;
  return ifMatch.split(",").map((tag) => tag.trim().replace(/^W\//, "").replace(/^"/, "").replace(/"$/, ""));
}
