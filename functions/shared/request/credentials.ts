import type { APIGatewayProxyEvent } from "aws-lambda";
import { parseCookie } from "cookie";
import { env } from "../../../contract/env.ts";
import type { Route } from "../../../contract/route.ts";

/** The headers of a request, by their names in lower case. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>;

/** The name that programs give the cookie of a session (api.md §1). Browsers use it too where the service has no TLS. */
const PLAIN_COOKIE = "token";
/** Browsers store this name only for this exact host and over TLS, so that no other host of the domain can set it. */
const HOST_COOKIE = "__Host-token";

const baseUrl = () => process.env[env.baseUrl] ?? "";
const isSecure = () => baseUrl().startsWith("https:");

const readBearerToken = (headers: RequestHeaders): string | undefined => /^Bearer\s+(\S+)\s*$/i.exec(headers["authorization"] ?? "")?.[1];

/**
 * Reads a token of a caller of an HTTP route. The cookie does not count: the browser of a signed-in user would send it with requests that a page
 * of another route causes.
 */
export function readRouteToken({ headers, queryStringParameters }: Pick<APIGatewayProxyEvent, "headers" | "queryStringParameters">) {
  return readBearerToken(headers) ?? (queryStringParameters?.["token"] || undefined);
}

/**
 * Reads the caller's token from the Authorization header, the session cookie or the query, in this order (api.md §1). The cookie counts only
 * where `acceptsCookie` allows it, because browsers also send it with requests that other sites cause.
 */
export function readToken(
  { headers, queryStringParameters }: Pick<APIGatewayProxyEvent, "headers" | "queryStringParameters">,
  route: Route,
): string | undefined {
  const bearer = readBearerToken(headers);
  if (bearer) return bearer;
  const session = acceptsCookie(headers, route) ? readSessionCookie(headers) : undefined;
  // Signing out leaves an empty cookie, which is not a token.
  return session || queryStringParameters?.["token"] || undefined;
}

/**
 * Returns whether a request may be authenticated by the cookie. Requests that change something must come from a page of this service or from
 * a program, which sends neither `Sec-Fetch-Site` nor `Origin`. A link can cause any GET request, so those of other sites are excluded, and
 * no GET route that runs a job accepts the cookie.
 */
function acceptsCookie(headers: RequestHeaders, { method, payload, access }: Route): boolean {
  if (method !== "GET") return isFromOwnOrigin(headers);
  if (payload) return false;
  const onlyReads = typeof access === "string" || access.verb === "read";
  return isFromOwnOrigin(headers) || (onlyReads && headers["sec-fetch-site"] === "none");
}

/**
 * Returns whether a page of this service or a program sent the request, and no other site. Browsers name the site in `Sec-Fetch-Site`; those
 * that do not send the `Origin` of every request that could change something.
 */
export function isFromOwnOrigin(headers: RequestHeaders): boolean {
  const { "sec-fetch-site": site, origin } = headers;
  if (site !== undefined) return site === "same-origin";
  return origin === undefined || (URL.canParse(baseUrl()) && origin === new URL(baseUrl()).origin);
}

/** Over TLS, a browser's `token` may have been set by another host of the domain, so it counts for programs only. */
function readSessionCookie(headers: RequestHeaders): string | undefined {
  const isBrowser = headers["sec-fetch-site"] !== undefined || headers["origin"] !== undefined;
  const session = isSecure() ? readCookie(headers, HOST_COOKIE) : undefined;
  return session ?? (isSecure() && isBrowser ? undefined : readCookie(headers, PLAIN_COOKIE));
}

const readCookie = ({ cookie }: RequestHeaders, name: string): string | undefined => parseCookie(cookie ?? "")[name];

/** The cookie of a session. Scripts of a page cannot read it, and forms of other sites do not send it. */
export const sessionCookie = (token: string, maxAgeS: number) => buildCookie(isSecure() ? HOST_COOKIE : PLAIN_COOKIE, token, maxAgeS);

const LOGIN_COOKIE = "svc_login";
const loginCookieName = () => (isSecure() ? `__Host-${LOGIN_COOKIE}` : LOGIN_COOKIE);
/** The cookie that binds a federated login to the browser that began it. */
export const loginCookie = (value: string, maxAgeS: number) => buildCookie(loginCookieName(), value, maxAgeS);
export const readLoginCookie = (headers: RequestHeaders) => readCookie(headers, loginCookieName());

const CONNECT_COOKIE = "svc_connect";
const connectCookieName = () => (isSecure() ? `__Host-${CONNECT_COOKIE}` : CONNECT_COOKIE);
/** The cookie that binds the connection of an account to the browser that began it. */
export const connectCookie = (value: string, maxAgeS: number) => buildCookie(connectCookieName(), value, maxAgeS);
export const readConnectCookie = (headers: RequestHeaders) => readCookie(headers, connectCookieName());

function buildCookie(name: string, value: string, maxAgeS: number): string {
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeS}${isSecure() ? "; Secure" : ""}`;
}
