import type { APIGatewayProxyEvent } from "aws-lambda";
import { CARRIED_STATUS_HEADER, RESTORES_HEADER } from "../../contract/gateway-headers.ts";
import type { Reply } from "./reply.ts";

/** Removes the header of a CloudFront distribution that restores headers from a request, and returns whether it was there. */
export function takeRestores({ headers, multiValueHeaders }: Pick<APIGatewayProxyEvent, "headers" | "multiValueHeaders">): boolean {
  const restores = headers[RESTORES_HEADER] !== undefined;
  delete headers[RESTORES_HEADER];
  if (multiValueHeaders) delete multiValueHeaders[RESTORES_HEADER];
  return restores;
}

/**
 * Lets CloudFront restore the header `WWW-Authenticate` of a 401, which API Gateway renames: CloudFront runs a function for statuses below 400 only, so
 * the reply has the status 200 on its way to CloudFront and carries its own. Other replies stay as they are.
 */
export function carryStatus(reply: Reply): Reply {
  const hasChallenge = Object.keys(reply.headers ?? {}).some((name) => name.toLowerCase() === "www-authenticate");
  if (reply.statusCode !== 401 || !hasChallenge) return reply;
  return { ...reply, statusCode: 200, headers: { ...reply.headers, [CARRIED_STATUS_HEADER]: "401" } };
}
