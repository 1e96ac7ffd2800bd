import type { APIGatewayProxyEvent } from "aws-lambda";

/**
 * Reads the caller's token from the Authorization header, the cookie `token` or the query, in this order (api.md §1). Browsers also send
 * the cookie when a link on another site is followed, and a link may run a script, so the cookie is ignored there.
 */
export function readToken(event: Pick<APIGatewayProxyEvent, "headers" | "queryStringParameters">): string | undefined {
  const { authorization = "", cookie: sent = "", "sec-fetch-site": site } = event.headers;
  const cookie = site === "cross-site" ? "" : sent;
  const bearer = /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? "")?.[1];
  if (bearer) return bearer;
  return readCookie({ cookie }, "token") ?? (event.queryStringParameters?.["token"] || undefined);
}

/** Returns the value of a cookie; `undefined` if the request has none of this name. */
export function readCookie({ cookie }: Readonly<Record<string, string | undefined>>, wanted: string): string | undefined {
  for (const part of (cookie ?? "").split(";")) {
    const [name, ...value] = part.trim().split("=");
    if (name === wanted && value.length > 0) return value.join("=");
  }
  return undefined;
}
