import { CARRIED_STATUS_HEADER } from "../../contract/gateway-headers.ts";
import type { Reply } from "./reply.ts";

/**
 * Lets CloudFront restore the header `WWW-Authenticate` of a 401, which API Gateway renames: CloudFront runs a function for statuses below 400 only, so
 * the reply has the status 200 on its way to CloudFront and carries its own. Other replies stay as they are.
 */
export function carryStatus(reply: Reply): Reply {
  const hasChallenge = Object.keys(reply.headers ?? {}).some((name) => name.toLowerCase() === "www-authenticate");
  if (reply.statusCode !== 401 || !hasChallenge) return reply;
  return { ...reply, statusCode: 200, headers: { ...reply.headers, [CARRIED_STATUS_HEADER]: "401" } };
}
