import type { APIGatewayProxyEvent } from "aws-lambda";

/** The caller's token: from the Authorization header, the cookie `token`, or the query, in this order (api.md §1). */
export function tokenOf(event: Pick<APIGatewayProxyEvent, "headers" | "queryStringParameters">): string | undefined {
  const { authorization = "", cookie = "" } = event.headers;
  const bearer = /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? "")?.[1];
  if (bearer) return bearer;
  for (const part of (cookie ?? "").split(";")) {
    const [name, ...value] = part.trim().split("=");
    if (name === "token" && value.length > 0) return value.join("=");
  }
  return event.queryStringParameters?.["token"] || undefined;
}
