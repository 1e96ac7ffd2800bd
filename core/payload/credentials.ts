import type { Payload } from "../../contract/payload.ts";

/** Headers in which callers, proxies and AWS send credentials. They do not include signatures and keys that a script itself checks. */
const CREDENTIAL_HEADERS: ReadonlySet<string> = new Set([
  "authorization",
  "proxy-authorization",
  "cookie",
  "x-amz-security-token",
  "x-forwarded-authorization",
  "x-forwarded-access-token",
  "x-original-authorization",
]);
/** The query parameter that may contain a caller's token. */
const TOKEN_PARAMETER = "token";

/**
 * Removes the credentials of a request, because a script must not receive the tokens of its callers: credential headers, the query
 * parameter `token`, and each other header or parameter that repeats one of their values, such as a `Referer` with the token.
 */
export function removeCredentials(payload: Payload): Payload {
  const secrets = [...new Set(listSecrets(payload).flatMap((secret) => [secret, encodeURIComponent(secret.toWellFormed())]))];
  // Most texts are shorter than any secret, and a request may have a thousand of both.
  const repeats = (text: string) => text.length >= SHORTEST_SECRET && secrets.some((secret) => text.includes(secret));
  const headers = Object.entries(payload.headers).filter(
    ([name, value]) => !CREDENTIAL_HEADERS.has(name.toLowerCase()) && !(value !== undefined && repeats(value)),
  );
  const query = Object.entries(payload.query).filter(([name, values]) => name !== TOKEN_PARAMETER && !values?.some(repeats));
  return { ...payload, headers: Object.fromEntries(headers), query: Object.fromEntries(query) };
}

/** Shorter values, such as those of other cookies, would match by chance. Tokens of this service are longer. */
const SHORTEST_SECRET = 16;

function listSecrets({ headers, query }: Payload): string[] {
  const credentials = Object.entries(headers).flatMap(([name, value]) =>
    CREDENTIAL_HEADERS.has(name.toLowerCase()) && value ? [value] : [],
  );
  const parts = credentials.flatMap((value) => value.split(/[\s;,]+/).flatMap((part) => [part, part.slice(part.indexOf("=") + 1)]));
  return [...parts, ...(query[TOKEN_PARAMETER] ?? [])].filter((secret) => secret.length >= SHORTEST_SECRET);
}
