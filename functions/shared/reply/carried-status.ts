import { CARRIED_STATUS_HEADER } from "../../../contract/deployment/gateway-headers.ts";
import type { Reply } from "./reply.ts";

/**
 * Lets CloudFront restore the header `WWW-Authenticate` of a 401, which API Gateway renames: CloudFront runs a function for statuses below 400
 * only, so the reply to CloudFront has the status 200 and contains the actual status in a header. Other replies do not change.
 */
export function carryStatus(reply: Reply): Reply {
  const hasChallenge = Object.keys(reply.headers ?? {}).some((name) => name.toLowerCase() === "www-authenticate");
  if (reply.statusCode !== 401 || !hasChallenge) return reply;
  return { ...reply, statusCode: 200, headers: { ...reply.headers, [CARRIED_STATUS_HEADER]: "401" } };
}
