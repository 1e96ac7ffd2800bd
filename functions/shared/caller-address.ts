import type { APIGatewayProxyEvent } from "aws-lambda";
import { EDGE_KEY_HEADER, env } from "../../contract/env.ts";

/**
 * Removes the header with the key of our CloudFront distribution from a request, and returns the caller's network address, which the caller
 * cannot choose. Each proxy appends the address of its client to `X-Forwarded-For`: CloudFront the caller, and API Gateway CloudFront, so
 * the caller is the last but one. API Gateway can also be called directly, and then its own entry, the last one, is the caller. Locally the
 * front server appends the last entry.
 */
export function takeCallerAddress({ headers, multiValueHeaders }: Pick<APIGatewayProxyEvent, "headers" | "multiValueHeaders">): string {
  const key = process.env[env.edgeKey];
  const isFromEdge = key !== undefined && headers[EDGE_KEY_HEADER] === key;
  delete headers[EDGE_KEY_HEADER];
  if (multiValueHeaders) delete multiValueHeaders[EDGE_KEY_HEADER];
  const hops = (headers["x-forwarded-for"] ?? "").split(",").map((hop) => hop.trim());
  return hops.at(isFromEdge ? -2 : -1) ?? "";
}
