import type http from "node:http";
import { ROUTES_PREFIX } from "../../contract/route.ts";

/** The header that the front server adds to a request. Without it, the engine refuses web pages of every site. */
export const ENGINE_KEY_HEADER = "x-svc-engine-key";

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

/** Returns whether a path is below that of the HTTP routes. */
export const isRoutePath = (path: string): boolean => path === ROUTES_PREFIX || path.startsWith(`${ROUTES_PREFIX}/`);

/**
 * Returns whether the local service answers a request: from a program, from a page of the same origin, or because a person follows a link.
 * Pages of other sites reach this port too, and a foreign `Host` belongs to a page whose name was pointed at this machine (DNS rebinding).
 * The users of HTTP routes decide which other sites may read them, and no route accepts the cookie of a session.
 */
export function isAdmitted({ method, headers }: Pick<http.IncomingMessage, "method" | "headers">, path = ""): boolean {
  const { host = "", origin, "sec-fetch-site": site } = headers;
  if (!LOOPBACK.test(host)) return false;
  if (isRoutePath(path)) return true;
  if (origin !== undefined && origin.toLowerCase() !== `http://${host}`.toLowerCase()) return false;
  if (site === undefined || site === "none" || site === "same-origin") return true;
  return method === "GET" && headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
}
