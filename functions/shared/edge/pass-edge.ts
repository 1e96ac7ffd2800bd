import type { APIGatewayProxyEvent } from "aws-lambda";
import { EDGE_KEY_HEADER, env } from "../../../contract/env.ts";
import { isOneOf } from "../../../core/http-routes/authentication/equal-texts.ts";

type Request = Pick<APIGatewayProxyEvent, "headers" | "multiValueHeaders"> & { requestContext?: { identity?: { sourceIp?: string } } };

/** Removes a header that CloudFront adds from a request, so that no script, log or reply contains it, and returns its value. */
export function takeHeader(
  { headers, multiValueHeaders }: Pick<Request, "headers" | "multiValueHeaders">,
  name: string,
): string | undefined {
  const value = headers[name];
  delete headers[name];
  if (multiValueHeaders) delete multiValueHeaders[name];
  return value;
}

/**
 * Reads how a request came here. It `isAdmitted` if it came through our CloudFront distribution, or if the stack has none: API Gateway's own address
 * bypasses a web ACL, and what it counts and blocks. Removes the key from the request.
 *
 * `address` is the caller's network address, which the caller cannot choose. Each proxy appends the address of its client to `X-Forwarded-For`:
 * CloudFront the caller, and API Gateway CloudFront, so the caller is the last but one. Locally the front server appends the last entry.
 * Without CloudFront, the client of API Gateway is the caller, whatever the header contains. A refused request has that address too.
 */
export function passEdge(request: Request): { address: string; isAdmitted: boolean } {
  const { headers, requestContext } = request;
  const key = takeHeader(request, EDGE_KEY_HEADER) ?? "";
  // CloudFront sends one of them. During a rotation there are several.
  const accepted = process.env[env.edgeKeys]?.split(",");
  const isFromEdge = accepted !== undefined && isOneOf(key, accepted);
  // The local engine takes this address from the first entry of the header, which a caller can choose.
  if (process.env[env.callsGateway] === "on") return { address: requestContext?.identity?.sourceIp ?? "", isAdmitted: true };
  const hops = (headers["x-forwarded-for"] ?? "").split(",").map((hop) => hop.trim());
  return { address: hops.at(isFromEdge ? -2 : -1) ?? "", isAdmitted: !accepted || isFromEdge };
}
