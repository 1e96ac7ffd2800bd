import type { HttpMethod } from "../../contract/routes/triggers/http-fields.ts";

type Headers = Record<string, string>;

/** The time for which a browser may remember the answer to a preflight request, in seconds. */
const MAX_AGE_S = 600;

/** Headers of replies that a page of another origin may read, in addition to those that every page may read. */
const EXPOSED = ["x-svc-job-id", "x-svc-job-state", "x-svc-error", "x-svc-idempotent-replay", "retry-after", "etag", "content-range"];

/** Returns the headers that let a page of `origin` read an answer, if the route allows it. Cookies are never sent to a route. */
export function corsHeaders(origin: string | undefined, allowed: readonly string[] | null | undefined): Headers {
  if (!allowed || allowed.length === 0) return {};
  const isForAll = allowed.includes("*");
  // A cache must not give the answer for one origin to another.
  const vary: Headers = isForAll ? {} : { vary: "Origin" };
  const isAllowed = isForAll || (origin !== undefined && allowed.some((one) => one.toLowerCase() === origin.toLowerCase()));
  if (origin === undefined || !isAllowed) return vary;
  return { ...vary, "access-control-allow-origin": isForAll ? "*" : origin, "access-control-expose-headers": EXPOSED.join(", ") };
}

/** Returns the headers that answer a preflight request for `headers` from an origin that the route allows. */
export function preflightHeaders(method: string, headers: string | undefined): Headers {
  const isList =
    headers !== undefined && headers.length <= 2000 && /^[!#$%&'*+.^_`|~0-9A-Za-z-]+( *, *[!#$%&'*+.^_`|~0-9A-Za-z-]+)*$/.test(headers);
  return {
    "access-control-allow-methods": method.toUpperCase(),
    // A wildcard would not cover `Authorization`.
    ...(isList ? { "access-control-allow-headers": headers } : {}),
    "access-control-max-age": String(MAX_AGE_S),
  };
}

/** Returns the value of the header `Allow` for the methods of an address. */
export function allowHeader(methods: readonly HttpMethod[]): string {
  const named = methods.flatMap((method) => (method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()]));
  return [...named, "OPTIONS"].join(", ");
}
