/**
 * The scope of a script's cookie. `origin`: the routes have a separate domain. Otherwise all cookies apply only below `path`, because a browser
 * sends every cookie of an origin in each request, and a server refuses requests whose headers are too long.
 */
export type CookieScope = "origin" | { path: string; nowMs: number };

type Refuse = (reason: string) => Error;

/** The maximum number of bytes of a cookie's name and value. */
const MOST_BYTES = 1024;
const LONGEST_S = 24 * 3600;

/** Names with a meaning for browsers, and names that this service uses. */
const PREFIX = /^__(host|secure|http)-|^__host-http-/;

/**
 * Returns the allowed value of a header `Set-Cookie`: the cookie applies only below the path of its route, for a day at most, and only on this
 * host. Throws the error that `refuse` returns for a cookie of this service, for several cookies in one header, and for a large one.
 */
export function confineCookie(text: string, scope: CookieScope, refuse: Refuse): string {
  const [pair = "", ...rest] = text.split(";");
  const name = readName(pair);
  if (name === "") throw refuse("its cookie has no name");
  if (isOwnName(name)) throw refuse(`the cookie '${withoutPrefix(name)}' is reserved for this service`);
  if (scope === "origin") return text;
  // Some servers and clients read a comma as the end of a header, after which another cookie follows.
  if (pair.includes(",")) throw refuse(`its cookie '${name}' contains a comma; encode it as %2C`);
  if (Buffer.byteLength(pair.trim()) > MOST_BYTES) throw refuse(`its cookie '${name.slice(0, 100)}' is larger than ${MOST_BYTES} bytes`);
  const attributes = new Map(rest.map(splitAttribute));
  const sameSite = /^(strict|lax|none)$/i.exec(attributes.get("samesite") ?? "")?.[0];
  return [
    pair.trim(),
    `Path=${choosePath(attributes.get("path"), scope.path)}`,
    `Max-Age=${chooseMaxAge(attributes, scope.nowMs)}`,
    ...(attributes.has("secure") ? ["Secure"] : []),
    ...(attributes.has("httponly") ? ["HttpOnly"] : []),
    ...(sameSite ? [`SameSite=${sameSite}`] : []),
    ...(attributes.has("partitioned") ? ["Partitioned"] : []),
  ].join("; ");
}

/** Returns whether a header `Set-Cookie` sets a cookie of this service, or could be interpreted so. */
export const setsOwnCookie = (text: string): boolean => text.split(/[;,]/).some((part) => part.includes("=") && isOwnName(readName(part)));

/** Browsers send a cookie without a name as its value. */
function readName(pair: string): string {
  const at = pair.indexOf("=");
  return at === -1 ? "" : pair.slice(0, at).trim().toLowerCase();
}

const withoutPrefix = (name: string) => name.replace(/^__(host-http|host|secure|http)-/, "");

function isOwnName(name: string): boolean {
  const plain = withoutPrefix(name);
  return PREFIX.test(name) || plain === "token" || plain.startsWith("svc_");
}

function splitAttribute(text: string): [name: string, value: string] {
  const at = text.indexOf("=");
  const name = at === -1 ? text : text.slice(0, at);
  return [name.trim().toLowerCase(), at === -1 ? "" : text.slice(at + 1).trim()];
}

function choosePath(requestedPath: string | undefined, base: string): string {
  const isBelow = requestedPath === base || requestedPath?.startsWith(`${base}/`) === true;
  const isPlain =
    requestedPath !== undefined &&
    /^[\w.~%/@:$!&'()*+=-]+$/.test(requestedPath) &&
    !requestedPath.split("/").some((part) => /^(\.|%2e){1,2}$/i.test(part));
  return isBelow && isPlain ? requestedPath : base;
}

function chooseMaxAge(attributes: ReadonlyMap<string, string>, nowMs: number): number {
  const age = attributes.get("max-age");
  const endsMs = Date.parse(attributes.get("expires") ?? "");
  const requestedAgeS = age !== undefined && /^-?\d+$/.test(age) ? Number(age) : Number.isNaN(endsMs) ? LONGEST_S : (endsMs - nowMs) / 1000;
  return Math.floor(Math.min(Math.max(requestedAgeS, 0), LONGEST_S));
}
